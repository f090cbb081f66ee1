-- Returns for each event of a metrics event (METRICS_EVENT), by its position: the number of events for the
-- first one, else 0.
local function readEventCounts(packed)
  local counts, flat = {}, decode(packed)
  for record = 0, #flat - 1, METRICS_EVENT.size do
    local first, count = flat[record + METRICS_EVENT.first], flat[record + METRICS_EVENT.count]
    for i = 1, count - 1 do counts[(first + i) * EVENT.size] = 0 end
    counts[first * EVENT.size] = count
  end
  return counts
end

-- Returns the rules of `count` events from `at` on.
local function rulesFrom(events, at, count, rulesOf)
  local list = {}
  for event = at, at + (count - 1) * EVENT.size, EVENT.size do
    list[#list + 1] = rulesOf[events[event + EVENT.metric]]
  end
  return list
end
