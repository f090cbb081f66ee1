-- Forgets what the event before has named. A peak before an event says nothing without one after it.
local function forgetNamed(after, counters, adds)
  if counters then
    for i = 1, #counters do after[counters[i]] = nil end
  end
  if adds then
    for at = 0, #adds - 1, COUNTER_ADDEND.size do after[adds[at + COUNTER_ADDEND.counter]] = nil end
  end
end

local function reachesAnyLeast(least, counters, step, after)
  for i = 1, #counters, step do
    local no = counters[i]
    local value = least[no]
    if value and after[no] >= value then return true end
  end
  return false
end

-- Whether a counter that the event names has at least the value (by counter) that completes an achievement.
local function reachesLeast(least, result)
  local named, adds, after = result.named, result.namedAdds, result.peaksAfter
  return named and reachesAnyLeast(least, named, 1, after)
    or adds and reachesAnyLeast(least, adds, COUNTER_ADDEND.size, after)
end

-- Adds a whole value, which is not negative, to counters of which none stands below its peak: as `addTo`
-- does, for a fraction of its instructions. Returns the first index that it has not added to, because that
-- counter is not whole.
local function addWhole(counters, numbers, value, before, after)
  for i = 1, #numbers do
    local no = numbers[i]
    local old = counters[no] or 0
    local total = old + value
    if total % 1 ~= 0 then return i end
    before[no], after[no], counters[no] = old, total, total
  end
  return #numbers + 1
end

-- Adds to the counters that the event names, by `addTo` (countEvent.lua).
local function countNamed(user, change, result, addTo)
  local before, after, counters, adds = result.peaksBefore, result.peaksAfter, change.counters, change.adds
  if result.named or result.namedAdds then forgetNamed(after, result.named, result.namedAdds) end
  result.named, result.namedAdds = counters, adds
  if counters then
    local value, first = change.value, 1
    if value >= 0 and value % 1 == 0 and not user.peaks then
      first = addWhole(user.counters, counters, value, before, after)
    end
    for i = first, #counters do addTo(user, counters[i], value, before, after) end
  end
  if adds then
    local addends = result.addends or {}
    for at = 0, #adds - 1, COUNTER_ADDEND.size do
      local no, addend = adds[at + COUNTER_ADDEND.counter], adds[at + COUNTER_ADDEND.addend]
      addTo(user, no, addend, before, after)
      addends[no] = addend
    end
    result.addends = addends
  end
end
