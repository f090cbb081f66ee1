-- Stands for every list and set that has nothing in it; never written to.
local NOTHING = {}

--- @include "countEvent"
--- @include "extendStreak"
--- @include "completeAchievements"
--- @include "awardPoints"
--- @include "rankUser"

-- What the changes of one call share; `size` is their number. index, shard, prefix and userId are those of the change.
local function newContext(tenant, version, now, size)
  return {
    tenant = tenant, version = version, now = now, size = size, out = {}, rankings = {}, firstArrival = false,
    index = 0, shard = 0, prefix = '', userId = '', ticket = false, occasion = {},
  }
end

local function report(out, ...)
  local n = #out
  for i = 1, select('#', ...) do out[n + i] = (select(i, ...)) end
end

-- Evaluates one change of a user against everything configured, then writes it. Up to the first write all happens in memory,
-- so a refusal leaves no trace.
-- change: { value, attributes } for an event, { achievement } for a completion by API, {} for an identification.
-- Reports the change; answers the points system that would have gone below 0, with nothing reported.
local function evaluate(context, user, rules, calendar, change)
  local now, day, out = context.now, calendar.periods[1], context.out
  local occasion = context.occasion
  occasion.value, occasion.extended, occasion.streakLength, occasion.systems = change.value, false, user.shownLength, 0
  occasion.peaksBefore, occasion.peaksAfter, occasion.completed, occasion.added = {}, {}, NOTHING, NOTHING
  occasion.steady = user.stampDay == day and user.stampVersion == context.version and user.stampMetric == rules.metric
  local header = #out
  context.ticket = false

  if change.value then countEvent(user, rules, change.value, change.attributes, occasion.peaksBefore, occasion.peaksAfter) end
  if not occasion.steady then
    settle(user, calendar)
    if change.value then
      occasion.extended = extendStreak(user, rules.streak, calendar, rules.metric, change.value, now)
    end
    user.shownLength, user.shownFirstDay, user.shownLastPeriod = streakInForce(user, rules)
    occasion.streakLength = user.shownLength
  end
  completeAchievements(user, rules, occasion, change.achievement, now)

  out[header + 1], out[header + 2], out[header + 3], out[header + 4] = 1, user.sequence + 1, user.isNew, day
  out[header + 5], out[header + 6] = user.counters[rules.counter] or 0, user.shownLength
  out[header + 7], out[header + 8], out[header + 9] = user.shownFirstDay, user.shownLastPeriod, occasion.extended
  local completed = occasion.completed
  out[header + 10] = #completed
  for i = 1, #completed do out[header + 10 + i] = completed[i] end
  local systemsAt = #out + 1
  out[systemsAt] = 0
  local emptySystem = awardPoints(user, context.userId, rules, day, occasion, out)
  if emptySystem then
    for i = #out, header + 1, -1 do out[i] = nil end
    return emptySystem
  end
  out[systemsAt] = occasion.systems

  local boardsAt, boards = #out + 1, 0
  out[boardsAt] = 0
  for i = 1, #rules.boards do
    if rankUser(context, user, rules.boards[i], rules, calendar, occasion) then boards = boards + 1 end
  end
  out[boardsAt] = boards
  for i = 1, #completed do call('HINCRBY', context.prefix .. 'stats', 'completed:' .. completed[i], 1) end

  if change.value and (occasion.steady or isExtended(user, rules.streak, calendar)) then
    user.stampVersion, user.stampDay, user.stampMetric = context.version, day, rules.metric
  else
    user.stampDay = 0
  end
  writeUser(context.prefix, context.userId, user, now)
end
