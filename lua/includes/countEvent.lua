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

-- What an event adds to a counter that has more than a filter. The function is made once an event meets one.
local addendOf
function addendOf(...)
  --- @include "completeRepeated"
  --- @include "computeAddend"
  --- @include "countMarked"
  function addendOf(user, counter, attributes, calendar, change, result)
    local addend
    if change.addends then
      addend = change.addends[counter.no]
    else
      addend = computeAddend(counter, change.value, result.day, attributes)
    end
    if not counter.marks then return addend end
    addend = countMarked(user, counter, addend, result.day, calendar.periods, change, result)
    if counter.repeated and not change.addends then
      completeRepeated(user, counter, calendar.periods[counter.per], result)
    end
    return addend
  end
  return addendOf(...)
end

-- Adds the value, or what a counter counts instead, to every counter that counts the event. Puts the peaks
-- before and after, by counter, into result.peaksBefore and peaksAfter, in which an earlier event for the
-- same rules has left its own; and into result.addends what was added instead of the value. A peak is kept
-- while its counter stands below it, so that nothing is earned twice when a counter goes down and up again.
local function countEvent(user, rules, calendar, change, result)
  local before, after, value = result.peaksBefore, result.peaksAfter, change.value
  local counters, peaks, attributes = user.counters, user.peaks, nil
  local list = rules.counters
  for i = 1, #list do
    local counter = list[i]
    local filter, addend = counter.filter, value
    if counter.computes then
      attributes = attributes or attributesOfEvent(change.attributes)
      addend = addendOf(user, counter, attributes, calendar, change, result)
      result.addends = result.addends or {}
      result.addends[counter.no], filter = addend, nil
    elseif filter then
      attributes = attributes or attributesOfEvent(change.attributes)
    end
    if addend and (not filter or matches(filter, attributes)) then
      local no = counter.no
      local old = counters[no] or 0
      local total = old + addend
      if total % 1 ~= 0 then total = decimalSum(old, addend) end
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
    elseif not counter.per then
      before[counter.no], after[counter.no] = nil, nil
    end
  end
  if peaks then user.peaks = next(peaks) and peaks or false end
end
