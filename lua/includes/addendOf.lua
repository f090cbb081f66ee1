--- @include "attributesOf"
--- @include "completeRepeated"
--- @include "computeAddend"
--- @include "countMarked"

-- What an event adds to a counter that asks more than the metric; nil if it does not count.
local function addendOf(user, counter, calendar, change, result)
  local addend
  if change.addends then
    addend = change.addends[counter.no]
  else
    addend = computeAddend(counter, change.value, result.day, attributesOf(change))
  end
  if not counter.marks then return addend end
  addend = countMarked(user, counter, addend, result.day, calendar.periods, change, result)
  if counter.repeated and not change.addends then
    completeRepeated(user, counter, calendar.periods[counter.per], result)
  end
  return addend
end
