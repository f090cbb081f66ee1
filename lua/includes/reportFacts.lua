--- @include "userState"

-- Reports what conditions ask of the user at an event (rules.facts), for the history, and adds it to the
-- attributes of the event, under keys instead of numbers. The clock is a local instant (ms); a missing
-- attribute is false. Returns the length of the report so far.
local function reportFacts(out, asked, user, change, localMs)
  local attributes = change.attributes or {}
  change.attributes = attributes
  out[#out + 1] = OUTCOME.facts
  out[#out + 1] = #asked
  local n, at = #out, #attributes
  for i = 1, #asked do
    local key, no, value = asked[i].key, asked[i].attribute, localMs
    if no then value = open(user).attributes[no] or false end
    attributes[at + ATTRIBUTE.no], attributes[at + ATTRIBUTE.value] = key, value
    out[n + ATTRIBUTE.no], out[n + ATTRIBUTE.value] = key, value
    n, at = n + ATTRIBUTE.size, at + ATTRIBUTE.size
  end
  return n
end
