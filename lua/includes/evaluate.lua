--- @include "awardPoints"
--- @include "completeAchievements"
--- @include "countEvent"
--- @include "extendStreak"
--- @include "hideUser"
--- @include "nothing"
--- @include "notices"
--- @include "rankMoves"
--- @include "rankUser"
--- @include "schedule"
--- @include "settleStreaks"
--- @include "takeBack"
--- @include "timeOf"

-- What the changes of one call share. dueKey, prefix: of the tenant's keys. size: number of changes. index, userId, ticket and member: of
-- the present change.
-- gathers: true while the caller finishes the moves on rankings, once for several changes. moved, later, placeCountAt: see rankMoves.
-- occasion: see beginOccasion.
local function newContext(tenant, dueKey, prefix, version, now, size)
  return {
    tenant = tenant, dueKey = dueKey, prefix = prefix, version = version, now = now, size = size, out = {}, rankings = {}, firstArrival = false,
    index = 0, userId = '', ticket = false, member = false, occasion = {}, seconds = floor(now / 1000),
    gathers = false, moved = {}, later = {}, placeCountAt = 0,
  }
end

local function report(out, ...)
  local n = #out
  for i = 1, select('#', ...) do out[n + i] = (select(i, ...)) end
end

-- Collects what one change brings about. Steady: nothing but counters, and what follows from them, can differ from the last event.
-- value, extended, streakLength, completed (numbers of achievements), systems (number of points systems that changed), by counter
-- peaksBefore and peaksAfter, by system `added`; tickAt, tickDay: instant and local day of time triggers.
-- Changes for the same rules write into the same tables, one after the other, because tables are what a script spends most on.
local function beginOccasion(context, user, rules, day, change)
  local occasion = context.occasion
  occasion.value, occasion.extended, occasion.streakLength, occasion.systems = change.value, false, user.shownLength, 0
  occasion.completed = NOTHING
  if occasion.rules ~= rules then
    occasion.rules, occasion.peaksBefore, occasion.peaksAfter, occasion.added = rules, {}, {}, {}
  end
  occasion.steady = user.stampDay == day and user.stampVersion == context.version and user.stampMetric == rules.metric
  occasion.tickAt, occasion.tickDay = change.settling == 'due' and context.seconds, day
  return occasion
end

-- Settles the streaks and extends them by the event.
local function updateStreaks(context, user, rules, calendar, change, occasion, settled)
  settleStreaks(user, calendar, rules, context.seconds, settled)
  if change.value then
    occasion.extended = extendStreak(user, rules.streak, calendar, rules.metric, change.value, context.now)
    noteActivity(user, calendar)
  end
  user.shownLength, user.shownFirstDay, user.shownLastPeriod = streakInForce(user, rules)
  occasion.streakLength = user.shownLength
end

-- Reports the change up to the achievements (CHANGE) behind the first `n` values. Returns the number of values then.
local function reportChange(out, n, user, rules, day, occasion)
  local completed = occasion.completed
  out[n + CHANGE.outcome], out[n + CHANGE.sequence] = OUTCOME.recorded, user.sequence + 1
  out[n + CHANGE.isNew], out[n + CHANGE.day] = user.isNew, day
  out[n + CHANGE.total], out[n + CHANGE.frequency] = user.counters[rules.counter] or 0, rules.streak.frequency
  out[n + CHANGE.streakLength], out[n + CHANGE.streakFirstDay] = user.shownLength, user.shownFirstDay
  out[n + CHANGE.streakLastPeriod], out[n + CHANGE.extended] = user.shownLastPeriod, occasion.extended
  out[n + CHANGE.completedCount] = #completed
  n = n + CHANGE.size
  if completed == NOTHING then return n end
  for i = 1, #completed do out[n + i] = completed[i] end
  return n + #completed
end

local function hasEffect(settled)
  return settled.lost > 0 or settled.earned > 0 or #settled.covered > 0
end

-- Updates all places of the user. Reports their number and those that changed.
local function rankOnBoards(context, user, rules, calendar, occasion)
  local out = context.out
  local countAt, count = #out + 1, 0
  context.placeCountAt, out[countAt] = countAt, 0
  for i = 1, #rules.boards do
    if rankUser(context, user, i, rules, calendar, occasion) then count = count + 1 end
  end
  if rules.left then count = count + leaveEarlierRuns(context, user, rules.left) end
  out[countAt] = count
  if not context.gathers then finishMoves(context) end
end

local function countCompletions(context, completed)
  for i = 1, #completed do
    local no = completed[i]
    call('HINCRBY', context.prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), '1')
  end
end

-- Remembers whether the user's next event on this day will be steady. A steady one leaves the stamp as it is.
local function stamp(context, user, rules, calendar, change, settled)
  if change.value and isExtended(user, rules.streak, calendar) then
    user.stampDay, user.stampMetric = calendar.periods[FREQUENCY.daily], rules.metric
  elseif not settled or settled.lost > 0 or #settled.covered > 0 or user.stampVersion ~= context.version then
    user.stampDay = 0
  end
  user.stampVersion = context.version
end

-- Completes the report of a settled user (SETTLED, then each COVERED and each NOTICE with its numbers). If settling changed nothing, the report is taken back.
local function reportSettled(user, settled, effects, out, start)
  if effects == 0 and settled.noticeCount == 0 and not hasEffect(settled) then
    takeBack(out, start)
    user.sequence = user.sequence - 1
    return
  end
  out[start + CHANGE.outcome] = OUTCOME.settled
  local n, covered = #out, settled.covered
  out[n + SETTLED.lost], out[n + SETTLED.earned] = settled.lost, settled.earned
  out[n + SETTLED.freezes], out[n + SETTLED.coveredCount] = user.freezes, #covered / COVERED.size
  out[n + SETTLED.noticeCount] = settled.noticeCount
  for i = 1, #covered do out[n + SETTLED.size + i] = covered[i] end
  local notices = settled.notices
  n = #out
  for i = 1, #notices do out[n + i] = notices[i] end
end

-- Evaluates one change of a user against everything configured. All happens in memory up to the first write, so a refused change
-- leaves no trace once the user is forgotten. writeUser must write the user: at once or after further changes of the same user.
-- change: { value, attributes } for an event, { achievement } for a completion by API, { settling = 'due' or 'review' } for
-- settling (see settleUsers), {} for an identification; isSilent if it causes no notification or webhook.
-- Reports the change. Returns the points system that would go below 0 if the change is refused; then nothing is reported.
local function evaluate(context, user, rules, calendar, change)
  local out, day = context.out, calendar.periods[FREQUENCY.daily]
  local start = #out
  local occasion = beginOccasion(context, user, rules, day, change)
  context.member = false
  local settled
  if change.settling then
    settled = { lost = 0, covered = {}, notices = {}, noticeCount = 0 }
    settled.earned = earnFreezes(user, timeOf(rules).freezes, day, change.settling ~= 'due')
  end

  if change.value then countEvent(user, rules, change.value, change.attributes, occasion.peaksBefore, occasion.peaksAfter) end
  if not occasion.steady then updateStreaks(context, user, rules, calendar, change, occasion, settled) end
  if change.settling == 'due' then takeNotices(user, calendar, rules, context.seconds, settled) end
  completeAchievements(user, rules, occasion, change.achievement, context.now)
  local systemsAt = reportChange(out, start, user, rules, day, occasion) + 1
  out[systemsAt] = 0
  local emptySystem = awardPoints(user, context.userId, rules, day, occasion, out)
  if emptySystem then
    takeBack(out, start)
    return emptySystem
  end
  out[systemsAt] = occasion.systems

  if change.settling == 'due' and occasion.systems == 0 and not hasEffect(settled) then
    -- If settling had no effect, rankings stay.
    context.placeCountAt = #out + 1
    out[context.placeCountAt] = 0
  else
    rankOnBoards(context, user, rules, calendar, occasion)
  end
  if occasion.completed ~= NOTHING then
    countCompletions(context, occasion.completed)
    if not change.isSilent then announce(user, calendar, occasion.completed, context.seconds) end
  end

  if not occasion.steady then stamp(context, user, rules, calendar, change, settled) end
  -- The next event of a steady user is not due earlier, except where time triggers fill up points.
  if not occasion.steady or rules.timed and occasion.systems > 0 then schedule(user, calendar, rules, context.seconds) end
  if settled then reportSettled(user, settled, occasion.systems + out[context.placeCountAt], out, start) end
  user.sequence, user.isNew, user.attributesBefore = user.sequence + 1, false, nil
end
