--- @include "awardPoints"
--- @include "completeAchievements"
--- @include "countEvent"
--- @include "evaluate"
--- @include "lateRanks"
--- @include "lateStreaks"
--- @include "notices"
--- @include "nothing"
--- @include "schedule"
--- @include "settleStreaks"
--- @include "undoEvent"

-- Whether the state does not say what the event changes.
local function needsHistory(user, rules, atCalendar, calendar)
  --- @include "forgottenMark"
  local periods = atCalendar.periods
  for _, counter in ipairs(rules.counters) do
    if isForgotten(user, counter, periods[FREQUENCY.daily], periods) then return true end
  end
  return mayRepair(user, rules, atCalendar, calendar) or mayBeOutdated(user, rules, atCalendar)
end

-- Brings the streaks up to date. result.streakLength is the greatest length that the event has reached.
local function updateLateStreaks(user, rules, calendar, atCalendar, value, late, result)
  local repair = late[LATE.repair]
  if repair then
    repairStreaks(user, repair)
    -- Otherwise the streak in force may be extended in its open period.
    if repair[REPAIR.streaks][rules.streak.frequency] then prepareStreakAwards(rules, repair) end
  end
  local extended = extendOpenPeriods(user, rules, atCalendar, calendar, value, late[LATE.at])
  result.extended = extended or repair and #repair[REPAIR.gained] > 0
  user.streakLength, user.streakFirstDay, user.streakLastPeriod, user.streakDaysOff =
    streakInForce(user, rules)
  if result.extended or repair then
    --- @include "replacePeriods"
    if repair then repairPeriods(user, repair) end
    -- A repaired streak has its periods from the repair.
    if result.extended and not (repair and #repair[REPAIR.addedPeriods] > 0) then
      addPeriod(user, user.streakLastPeriod, user.streakLength, 0)
    end
  end
  result.streakLength = math.max(user.streakLength, repair and repair[REPAIR.longest] or 0)
  if user.activeDay < atCalendar.periods[FREQUENCY.daily] then
    recordActivity(user, { periods = atCalendar.periods, notices = calendar.notices })
  end
end

-- Evaluates an event of the past, as evaluate does for other changes: points and ranks as of its instant,
-- achievements as of now. The streaks of `user` are settled as of now. `atCalendar` is the calendar at the
-- instant of the event, `late` the LATE record.
-- Reports the change. Returns nothing, or the points system that would go below 0; then the event is refused.
local function evaluateLate(context, user, rules, calendar, atCalendar, change, late)
  local out, day, now = context.out, atCalendar.periods[FREQUENCY.daily], context.now
  local result = beginResult(context, user, rules, day, change)
  result.isFastPath, result.instant, context.member = false, late[LATE.at], false
  if user.isNew then beginTime(user, rules, calendar) end
  local undo = late[LATE.undo]
  --- @include "pastMarks"
  change.past = pastMarks(late[LATE.marks])
  if undo then prepareUndo(user, rules, undo, change) end
  if rules.facts then
    --- @include "reportFacts"
    reportFacts(out, rules.facts, user, change, late[LATE.at] + atCalendar.offsetMs)
  end
  countEvent(user, rules, atCalendar, change, result)
  if rules.challenges then
    --- @include "countChallenges"
    countChallenges(context, user, rules, atCalendar, calendar, late[LATE.at], change, result)
  end
  if undo then lowerPeaks(user, undo[UNDO.peaks], result.peaksAfter) end
  updateLateStreaks(user, rules, calendar, atCalendar, change.value, late, result)
  if result.freezes then
    --- @include "giveFreezes"
    giveFreezes(user, rules, result)
  end
  completeAchievements(user, rules, result, nil, now)
  result.streakLength = user.streakLength
  local systemsAt = reportChange(out, #out, user, rules, day, result) + 1
  out[systemsAt] = 0
  local emptySystem = awardPoints(user, context.userId, rules, result, out)
  if emptySystem then return emptySystem end
  out[systemsAt] = result.systems
  if result.boosts then
    --- @include "giveBoosts"
    giveBoosts(user, result, now)
  end

  context.now = late[LATE.at]
  rankLate(context, user, rules, atCalendar, calendar, result, late[LATE.outdated])
  context.now = now
  if result.completed ~= NOTHING then
    countCompletions(context, result.completed)
    deferAchievementNotice(user, calendar, result.completed, context.seconds)
  end
  if undo then countRevoked(context, undo) end
  user.isNew, user.fastPathDay, user.rulesVersion = false, 0, context.version
  schedule(user, calendar, rules, context.seconds)
  user.sequence, user.attributesBefore, user.hasNewSignUp = user.sequence + 1, nil, nil
end
