--- @include "decimalSum"
--- @include "matches"

local function attributesOfEvent(flat)
  local attributes = {}
  if flat then
    for at = 0, #flat - 1, ATTRIBUTE.size do
      attributes[flat[at + ATTRIBUTE.no]] = flat[at + ATTRIBUTE.value]
    end
  end
  return attributes
end

-- Adds the value to every counter whose filter the event matches. Puts the peaks before and after, by
-- counter, into the tables `before` and `after`, in which an earlier event for the same rules has left its
-- own. A peak is kept while its counter stands below it, so that nothing is earned twice when a counter goes
-- down and up again.
local function countEvent(user, rules, value, flatAttributes, before, after)
  local counters, peaks, attributes = user.counters, user.peaks, nil
  local list = rules.counters
  for i = 1, #list do
    local counter = list[i]
    local filter = counter.filter
    if filter then attributes = attributes or attributesOfEvent(flatAttributes) end
    if not filter or matches(filter, attributes) then
      local no = counter.no
      local old = counters[no] or 0
      local total = old + value
      if total % 1 ~= 0 then total = decimalSum(old, value) end
      local peak = peaks and peaks[no] or old > 0 and old or 0
      before[no] = peak
      if total < peak then
        peaks = peaks or {}
        peaks[no] = peak
      else
        if peaks then peaks[no] = nil end
        peak = total
      end
      after[no] = peak
      counters[no] = total
    else
      before[counter.no], after[counter.no] = nil, nil
    end
  end
  if peaks then user.peaks = next(peaks) and peaks or false end
end
