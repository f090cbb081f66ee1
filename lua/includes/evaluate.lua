--- @include "nothing"
--- @include "truncate"
--- @include "offFastPath"
--- @include "timeOf"
--- @include "countEvent"
--- @include "awardPoints"
--- @include "rankUser"
--- @include "rankMoves"

-- A table with room for what beginResult sets, so that it does not grow one by one.
local function newResult()
  return {
    value = false, extended = false, streakLength = 0, systems = 0, completed = NOTHING, rules = false,
    peaksBefore = false, peaksAfter = false, added = false, isFastPath = false, tickAt = false, day = 0,
    isSilent = false, instant = 0, freezes = false, boosts = false, rewarded = false, anniversaries = NOTHING,
    addends = false, named = false, namedAdds = false,
  }
end

-- The state that the changes of one call share. dueKey: key of the due users. prefix: of the tenant's keys.
-- size: number of changes. index, userId, ticket, member: of the present change. result: see beginResult.
-- defersMoves: whether the caller finishes the moves on rankings, once for several changes.
-- moved, later, boardCountAt: see rankMoves. firstEntry: where the user probably has the first leaderboard.
-- run, firstDay: first day of a run and its text.
-- systemsAt: where the last report has the number of points systems. notes: see keptHistory.
-- rehearses: whether the changes are taken back (rehearse.lua).
-- givesNoRewards: whether challenges give nothing. countChallenges: the function, once it is needed.
local function newContext(tenant, dueKey, prefix, version, now, size, leastArrival)
  return {
    tenant = tenant, dueKey = dueKey, prefix = prefix, version = version,
    now = now, seconds = floor(now / 1000), size = size,
    out = {}, result = newResult(), rankings = {}, firstArrival = false, leastArrival = leastArrival,
    index = 0, userId = '', ticket = false, member = false,
    defersMoves = false, moved = {}, later = {}, boardCountAt = 0, firstEntry = 0,
    run = false, firstDay = false, systemsAt = 0, notes = false, rehearses = false,
  }
end

local function report(out, ...)
  local n = #out
  for i = 1, select('#', ...) do out[n + i] = (select(i, ...)) end
end

-- Begins the result of one change:
-- isFastPath: the change can only add to counters and to what follows from them, because an event of the same
-- day and metric has extended the streak and completed all achievements that were due (see updateFastPath)
-- value of the event; extended, streakLength: of the streak; completed: numbers of achievements
-- peaksBefore, peaksAfter: by counter; addends: see countEvent; named, namedAdds: see countNamed
-- added: by points system; systems: number of points systems that changed
-- day: local day; tickAt: instant of time triggers, false if the change is not due
-- instant: of the change (ms); freezes, boosts, rewarded (achievements): that challenges bring
-- anniversaries: those that the change may complete; isSilent: completions cause no notification or webhook
-- Changes for the same rules write into the same tables, one after the other, because tables are what a
-- script spends most on.
local function beginResult(context, user, rules, day, change)
  local result = context.result
  result.value, result.extended = change.value, false
  result.streakLength, result.systems = user.streakLength, 0
  result.completed = NOTHING
  if result.rules ~= rules then
    result.rules, result.peaksBefore, result.peaksAfter, result.added = rules, {}, {}, {}
  end
  result.isFastPath = user.fastPathDay == day and user.rulesVersion == context.version
    and user.fastPathMetric == rules.metric
  result.tickAt, result.day = change.settling == SETTLING.due and context.seconds, day
  result.isSilent, result.instant = change.isSilent, context.now
  local mayComeDue = change.settling or change.isSilent or user.hasNewSignUp
  result.anniversaries = mayComeDue and timeOf(rules).anniversaries or NOTHING
  return result
end

-- Whether a rise from `before` to `after` reaches one of the ascending values.
local function reachesAny(values, before, after)
  for i = 1, #values do
    local value = values[i]
    if value > before then return value <= after end
  end
  return false
end

-- Whether a change on the fast path may complete an achievement.
local function mayComplete(rules, result)
  local values, own, after = rules.ownValues, rules.counter, result.peaksAfter
  if not values or reachesAny(values, result.peaksBefore[own], after[own]) then return true end
  return rules.leastValues and askingCounters().reachesLeast(rules.leastValues, result)
end

-- Reports the change up to the achievements (CHANGE) behind the first `n` values. Returns the new number of
-- values.
local function reportChange(out, n, user, rules, day, result)
  local completed = result.completed
  out[n + CHANGE.outcome], out[n + CHANGE.sequence] = OUTCOME.recorded, user.sequence + 1
  out[n + CHANGE.isNew], out[n + CHANGE.day] = user.isNew, day
  out[n + CHANGE.total], out[n + CHANGE.frequency] = user.counters[rules.counter] or 0, rules.streak.frequency
  out[n + CHANGE.streakLength], out[n + CHANGE.streakFirstDay] = user.streakLength, user.streakFirstDay
  out[n + CHANGE.streakLastPeriod], out[n + CHANGE.streakDaysOff] = user.streakLastPeriod, user.streakDaysOff
  out[n + CHANGE.extended] = result.extended
  local countAt, count = n + CHANGE.completedCount, #completed
  out[countAt] = count
  n = n + CHANGE.size
  if completed == NOTHING then return n end
  for i = 1, count do out[n + i] = completed[i] end
  n = n + count
  local repeated = completed.repeated
  if not repeated then return n end
  out[countAt] = count + #repeated
  for i = 1, #repeated do out[n + i] = repeated[i] end
  return n + #repeated
end

-- Updates the user's ranks on all leaderboards. Reports the number of changes, and each BOARD_CHANGE.
local function rankOnBoards(context, user, rules, calendar, result)
  local out = context.out
  local countAt, count = #out + 1, 0
  context.boardCountAt, out[countAt] = countAt, 0
  for i = 1, #rules.boards do
    if rankUser(context, user, i, rules, calendar, result) then count = count + 1 end
  end
  if rules.hidesUser then
    --- @include "hideUser"
    count = count + leaveEarlierRuns(context, user, rules)
  end
  out[countAt] = count
  if not context.defersMoves then finishMoves(context) end
end

local function countCompletions(context, completed)
  if context.rehearses then return end
  for i = 1, #completed do
    local no = math.abs(completed[i])
    call('HINCRBY', context.prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), '1')
  end
end

-- Evaluates one change of a user against everything configured. It changes memory only, up to the first
-- write, so a refused change leaves no trace once the user is forgotten. The caller calls writeUser: at once,
-- or after further changes of the same user.
-- change: { value, attributes } for an event, with addends (by counter) if it undoes another one;
-- { achievements } for completions by API or reward, { settling = SETTLING } for settling (see settleUsers),
-- { takeStep } for a step in a challenge (challengeSteps.lua), {} for an identification; isSilent if it
-- causes no notification or webhook.
-- Reports the change. Returns nothing, or the points system that would go below 0; then the change is refused
-- and nothing is reported.
local function evaluate(context, user, rules, calendar, change)
  local out, day = context.out, calendar.periods[FREQUENCY.daily]
  local start = #out
  local result = beginResult(context, user, rules, day, change)
  context.member = false
  local settled
  if change.settling then
    settled = { lost = 0, covered = {}, notices = {}, noticeCount = 0, comesIntoForce = false }
    local withhold = change.settling ~= SETTLING.due
    settled.earned = offFastPath().earnFreezes(user, timeOf(rules).freezes, day, withhold)
  end

  local changeAt = start
  if change.value then
    if rules.facts then
      --- @include "reportFacts"
      changeAt = reportFacts(out, rules.facts, user, change, context.now + calendar.offsetMs)
    end
    countEvent(user, rules, calendar, change, result)
    if rules.challenges then
      if not context.countChallenges then
        --- @include "countChallenges"
        context.countChallenges = countChallenges
      end
      context.countChallenges(context, user, rules, calendar, calendar, context.now, change, result)
      changeAt = #out
    end
  elseif change.takeStep then
    changeAt = change.takeStep(result)
  end
  local isFastPath = result.isFastPath
  local slow = (not isFastPath or mayComplete(rules, result)) and offFastPath()
  if not isFastPath then slow.updateStreaks(context, user, rules, calendar, change, result, settled) end
  if change.settling == SETTLING.due then
    slow.reportNotices(user, calendar, rules, context.seconds, settled)
  end
  if slow then slow.completeAchievements(user, rules, result, change.achievements, context.now) end
  local systemsAt = reportChange(out, changeAt, user, rules, day, result) + 1
  context.systemsAt, out[systemsAt] = systemsAt, 0
  local emptySystem = awardPoints(user, context.userId, rules, result, out)
  if emptySystem then
    truncate(out, start)
    result.boosts = false -- The next change of the call may be one of another user.
    return emptySystem
  end
  out[systemsAt] = result.systems

  if change.settling == SETTLING.due and result.systems == 0 and not slow.hasEffect(settled) then
    -- If settling had no effect, rankings stay.
    context.boardCountAt = #out + 1
    out[context.boardCountAt] = 0
  else
    rankOnBoards(context, user, rules, calendar, result)
  end
  if result.completed ~= NOTHING then
    countCompletions(context, result.completed)
    slow.deferAchievementNotice(user, calendar, result.completed, context.seconds)
  end

  if not isFastPath then slow.updateFastPath(context, user, rules, calendar, change, settled) end
  -- A change on the fast path makes the user due earlier only where time triggers fill up points.
  if not isFastPath or rules.timed and result.systems > 0 then
    offFastPath().schedule(user, calendar, rules, context.seconds)
  end
  if settled then
    local effects = #result.completed + result.systems + out[context.boardCountAt]
    slow.reportSettled(user, settled, effects, out, start)
  end
  user.sequence, user.isNew, user.attributesBefore, user.hasNewSignUp = user.sequence + 1, false, nil, nil
end
