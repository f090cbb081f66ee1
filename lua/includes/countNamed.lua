-- Forgets what the event before has named. A peak before an event says nothing without one after it.
local function forgetNamed(after, counters, adds)
  if counters then
    for i = 1, #counters do after[counters[i]] = nil end
  end
  if adds then
    for at = 0, #adds - 1, COUNTER_ADDEND.size do after[adds[at + COUNTER_ADDEND.counter]] = nil end
  end
end

-- Adds to the counters that the event names, by `addTo` (countEvent.lua).
local function countNamed(user, change, result, addTo)
  local before, after, counters, adds = result.peaksBefore, result.peaksAfter, change.counters, change.adds
  if result.named or result.namedAdds then forgetNamed(after, result.named, result.namedAdds) end
  result.named, result.namedAdds = counters, adds
  if counters then
    local value = change.value
    for i = 1, #counters do addTo(user, counters[i], value, before, after) end
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
