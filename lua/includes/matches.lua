--- @include "userState"

-- Whether `attributes` (number → value) has every pair of the filter (flat list of ATTRIBUTE). No filter
-- matches everything.
local function matches(filter, attributes)
  if not filter then return true end
  for at = 0, #filter - 1, ATTRIBUTE.size do
    if attributes[filter[at + ATTRIBUTE.no]] ~= filter[at + ATTRIBUTE.value] then return false end
  end
  return true
end

local function matchesUser(filter, user)
  return not filter or matches(filter, open(user).attributes)
end
