--- @include "decimalSum"

-- For counters that ask more than the metric. The functions are made once an event meets one.
local askingCounters
function askingCounters()
  --- @include "addendOf"
  --- @include "countNamed"
  local functions = { addendOf = addendOf, countNamed = countNamed, reachesLeast = reachesLeast }
  function askingCounters() return functions end
  return functions
end

-- Adds to a counter. A peak is kept while its counter stands below it, so that nothing is earned twice when a
-- counter goes down and up again.
local function addTo(user, no, addend, before, after)
  local counters, peaks = user.counters, user.peaks
  local old = counters[no] or 0
  local total = old + addend
  if total % 1 ~= 0 then total = decimalSum(old, addend) end
  local peak = peaks and peaks[no] or old > 0 and old or 0
  before[no] = peak
  if total < peak then
    user.peaks = peaks or {}
    user.peaks[no] = peak
  else
    if peaks then peaks[no] = nil end
    peak = total
  end
  after[no] = peak
  counters[no] = total
end

-- Adds the value, or what a counter counts instead, to every counter that counts the event. Puts the peaks
-- before and after, by counter, into result.peaksBefore and peaksAfter, in which an earlier event for the
-- same rules has left its own; and into result.addends what was added instead of the value.
local function countEvent(user, rules, calendar, change, result)
  local before, after, value = result.peaksBefore, result.peaksAfter, change.value
  local list = rules.counters
  for i = 1, #list do
    local counter, addend = list[i], value
    if counter.computes then
      addend = askingCounters().addendOf(user, counter, calendar, change, result)
      result.addends = result.addends or {}
      result.addends[counter.no] = addend
    end
    if addend then
      addTo(user, counter.no, addend, before, after)
    elseif not counter.per then
      before[counter.no], after[counter.no] = nil, nil
    end
  end
  if change.counters or change.adds or result.named or result.namedAdds then
    askingCounters().countNamed(user, change, result, addTo)
  end
  if user.peaks and not next(user.peaks) then user.peaks = false end
end
