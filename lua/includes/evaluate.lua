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
    index = 0, shard = 0, prefix = '', userId = '', ticket = false, occasion = {}, seconds = floor(now / 1000),
    goesOn = false, moves = {}, moving = 0,
  }
end

local function report(out, ...)
  local n = #out
  for i = 1, select('#', ...) do out[n + i] = (select(i, ...)) end
end

local function hasEffect(settled)
  return settled.lost > 0 or settled.earned > 0 or #settled.covered > 0
end

-- Makes what was reported the report of a settled user, with frequency, lost, earned, freezes left, number of covered, covered; or takes
-- it back when settling changed nothing: then nothing is reported.
local function reportSettled(user, rules, settled, effects, out, header)
  if effects == 0 and not hasEffect(settled) then
    for i = #out, header + 1, -1 do out[i] = nil end
    user.sequence = user.sequence - 1
    return
  end
  out[header + 1] = 8
  report(out, rules.streak.frequency, settled.lost, settled.earned, user.freezes, #settled.covered)
  for i = 1, #settled.covered do out[#out + 1] = settled.covered[i] end
end

-- Evaluates one change of a user against everything configured. Up to the first write all happens in memory, so a refusal
-- leaves no trace once the user is forgotten. What changed of the user is to be written by finishUser: at once, or with
-- context.goesOn after the next change of the same user.
-- change: { value, attributes } for an event, { achievement } for a completion by API, { settling } when the user is due (see
-- settleUsers), {} for an identification.
-- Reports the change; answers the points system that would have gone below 0, with nothing reported.
local function evaluate(context, user, rules, calendar, change)
  local now, day, out = context.now, calendar.periods[1], context.out
  local occasion = context.occasion
  occasion.value, occasion.extended, occasion.streakLength, occasion.systems = change.value, false, user.shownLength, 0
  occasion.completed = NOTHING
  -- Tables are what a script spends most on, so one change after the other for the same rules writes into the same ones.
  if occasion.rules ~= rules then
    occasion.rules, occasion.peaksBefore, occasion.peaksAfter, occasion.added = rules, {}, {}, {}
  end
  occasion.steady = user.stampDay == day and user.stampVersion == context.version and user.stampMetric == rules.metric
  local header, settled = #out, nil
  context.ticket = false
  occasion.tickAt, occasion.tickDay = change.settling == 'due' and context.seconds, day
  if change.settling then
    settled = { lost = 0, covered = {}, earned = earnFreezes(user, timeOf(rules).freezes, day, change.settling ~= 'due') }
  end

  if change.value then countEvent(user, rules, change.value, change.attributes, occasion.peaksBefore, occasion.peaksAfter) end
  if not occasion.steady then
    settle(user, calendar, rules, context.seconds, settled)
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
  -- Who was woken in vain stays where they were, as if nobody had looked.
  local isIdle = change.settling == 'due' and occasion.systems == 0 and not hasEffect(settled)
  for i = 1, isIdle and 0 or #rules.boards do
    if rankUser(context, user, i, rules, calendar, occasion) then boards = boards + 1 end
  end
  out[boardsAt] = boards
  for i = 1, #completed do call('HINCRBY', context.prefix .. 'stats', 'completed:' .. completed[i], 1) end

  if change.value and (occasion.steady or isExtended(user, rules.streak, calendar)) then
    user.stampDay, user.stampMetric = day, rules.metric
  elseif not settled or settled.lost > 0 or #settled.covered > 0 or user.stampVersion ~= context.version then
    user.stampDay = 0
  end
  user.stampVersion = context.version
  -- What a steady user's next event changes is not due any earlier, but for points that time triggers fill up.
  if not occasion.steady or rules.timed and occasion.systems > 0 then schedule(user, calendar, rules, context.seconds) end
  if settled then reportSettled(user, rules, settled, occasion.systems + boards, out, header) end
  user.sequence, user.isNew, user.attributesBefore = user.sequence + 1, false, nil
end

-- Writes what the changes of a user in a row have come to.
local function finishUser(context, user)
  if context.moving > 0 then finishMoves(context, user) end
  writeUser(context, user)
end
