--- @include "extendStreak"
--- @include "notices"
--- @include "schedule"
--- @include "settleStreaks"

-- Settles the streaks and extends them by the event.
local function updateStreaks(context, user, rules, calendar, change, result, settled)
  if user.isNew then beginTime(user, rules, calendar) end
  settleStreaks(user, calendar, rules, context.seconds, settled)
  if change.value then
    result.extended = extendStreak(user, rules.streak, calendar, rules.metric, change.value, context.now)
    recordActivity(user, calendar)
  end
  local lengthBefore = user.streakLength
  user.streakLength, user.streakFirstDay, user.streakLastPeriod, user.streakDaysOff =
    streakInForce(user, rules)
  -- Settling extends no streak, so this one was switched off.
  if settled and lengthBefore == 0 and user.streakLength > 0 then settled.comesIntoForce = true end
  result.streakLength = user.streakLength
  if result.extended or settled and #settled.covered > 0 then
    --- @include "recentPeriods"
    if settled then addCovered(user, settled) end
    if result.extended then addPeriod(user, user.streakLastPeriod, user.streakLength, 0) end
  end
  if result.freezes then
    --- @include "giveFreezes"
    giveFreezes(user, rules, result)
  end
end

-- Gives boosts of challenges. Sets day and metric of the events that take the fast path. An event on the fast
-- path keeps them.
local function updateFastPath(context, user, rules, calendar, change, settled)
  if context.result.boosts then
    --- @include "giveBoosts"
    giveBoosts(user, context.result, context.now)
  end
  if change.value and isExtended(user, rules.streak, calendar) then
    user.fastPathDay, user.fastPathMetric = calendar.periods[FREQUENCY.daily], rules.metric
  elseif not settled or settled.lost > 0 or #settled.covered > 0 or user.rulesVersion ~= context.version then
    user.fastPathDay = 0
  end
  user.rulesVersion = context.version
end
