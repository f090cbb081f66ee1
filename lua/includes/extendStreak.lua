--- @include "decimalSum"
--- @include "nothing"
--- @include "userState"

-- False if the user has turned the streak off.
local function wantsStreak(user)
  local preferences = open(user).preferences
  return not preferences or preferences.streakEnabled ~= false
end

-- Returns the user's own conditions (a flat list of CONDITION), without those of unknown metrics; NOTHING if
-- an event of `metric` cannot meet any of them, nil if the user has not chosen any.
local function ownConditions(flat, metrics, metric)
  local conditions, concerned = {}, false
  for at = 0, flat and #flat - 1 or -1, CONDITION.size do
    for _, known in ipairs(metrics) do
      if flat[at + CONDITION.metric] == known then
        conditions[#conditions + 1] = { metric = known, threshold = flat[at + CONDITION.threshold] }
        concerned = concerned or known == metric
      end
    end
  end
  if #conditions > 0 then return concerned and conditions or NOTHING end
end

-- Returns the conditions that an event of `metric` may meet, and whether one of them is enough. A user's own
-- conditions replace those of the tenant.
local function conditionsOf(user, rule, metric)
  if not wantsStreak(user) then return NOTHING, false end
  local preferences, any = user.preferences, rule.any
  if not preferences or not rule.metrics then return rule.conditions, any end
  if preferences.streakMode then any = preferences.streakMode == STREAK_MODE.any end
  return ownConditions(preferences.streakMetrics, rule.metrics, metric) or rule.conditions, any
end

-- Whether the sums of this period, with the new value, meet the conditions. The sums are kept until they do.
local function meetsConditions(user, conditions, any, f, period, metric, value)
  local progress = user.progress[f]
  if not progress or progress[PROGRESS.period] ~= period then progress = { period, {} } end
  local sums, met = progress[PROGRESS.sums], 0
  sums[metric] = decimalSum(sums[metric] or 0, value)
  for _, condition in ipairs(conditions) do
    if (sums[condition.metric] or 0) >= condition.threshold then met = met + 1 end
  end
  if met == #conditions or (any and met > 0) then
    user.progress[f] = false
    return true
  end
  user.progress[f] = progress
  return false
end

-- Extends the streak of each frequency at most once in a period: when its conditions are met for the first
-- time.
-- Returns whether the streak in force was extended.
local function extendStreak(user, rule, calendar, metric, value, now)
  local conditions, any = conditionsOf(user, rule, metric)
  if #conditions == 0 then return false end
  local streak, extended = user.streak, false
  for f = FREQUENCY.daily, FREQUENCY.monthly do
    local base, period = (f - 1) * STREAK.size, calendar.periods[f]
    if streak[base + STREAK.lastPeriod] < period then
      openToChange(user)
      if meetsConditions(user, conditions, any, f, period, metric, value) then
        if streak[base + STREAK.length] == 0 then
          streak[base + STREAK.firstDay] = calendar.periods[FREQUENCY.daily]
        end
        streak[base + STREAK.length] = streak[base + STREAK.length] + 1
        streak[base + STREAK.lastPeriod] = period
        streak[base + STREAK.extendedAt] = now
        streak[base + STREAK.slack] = 0
        if f == rule.frequency then extended = true end
      end
    end
  end
  if extended and user.freezeDay == 0 then user.freezeDay = calendar.periods[FREQUENCY.daily] end
  return extended
end

-- Whether no event can extend a streak before the present period ends.
local function isExtended(user, rule, calendar)
  if not rule.enabled or not wantsStreak(user) then return true end
  local streak, periods = user.streak, calendar.periods
  for f = FREQUENCY.daily, FREQUENCY.monthly do
    if streak[(f - 1) * STREAK.size + STREAK.lastPeriod] < periods[f] then return false end
  end
  return true
end
