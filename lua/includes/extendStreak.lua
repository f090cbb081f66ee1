-- False for who has turned the streak off.
local function wantsStreak(user)
  local preferences = open(user).preferences
  return not preferences or preferences.streakEnabled ~= false
end

-- The user's own conditions, of the metrics that there are; none when an event of `metric` has nothing to do with them. Nil
-- when the user has not chosen any.
local function ownConditions(flat, metrics, metric)
  local conditions, chosen, concerned = {}, false, false
  for i = 1, flat and #flat or 0, 2 do
    for _, known in ipairs(metrics) do
      if flat[i] == known then
        conditions[#conditions + 1] = { metric = known, threshold = flat[i + 1] }
        chosen, concerned = true, concerned or known == metric
      end
    end
  end
  if chosen then return concerned and conditions or NOTHING end
end

-- The conditions that an event of `metric` may meet, and whether any one of them is enough: the tenant's, or those that the user has
-- chosen instead.
local function conditionsOf(user, rule, metric)
  if not wantsStreak(user) then return NOTHING, false end
  local preferences, any = user.preferences, rule.any
  if not preferences or not rule.metrics then return rule.conditions, any end
  if preferences.streakMode then any = preferences.streakMode == 'OR' end
  return ownConditions(preferences.streakMetrics, rule.metrics, metric) or rule.conditions, any
end

-- True when the sums of this period, with the new value, meet the conditions. The sums are kept only until they do.
local function meetsConditions(user, conditions, any, f, period, metric, value)
  local progress = user.progress[f]
  if not progress or progress[1] ~= period then progress = { period, {} } end
  local sums, met = progress[2], 0
  sums[metric] = (sums[metric] or 0) + value
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

-- Extends the streak of each frequency at most once per period, in the period in which the conditions become true.
-- Answers whether the one in force was extended.
local function extendStreak(user, rule, calendar, metric, value, now)
  local conditions, any = conditionsOf(user, rule, metric)
  if #conditions == 0 then return false end
  local streak, extended = user.streak, false
  for f = 1, 3 do
    local base, period = (f - 1) * STREAK_VALUES, calendar.periods[f]
    if streak[base + 3] < period then
      openToChange(user)
      if meetsConditions(user, conditions, any, f, period, metric, value) then
        if streak[base + 1] == 0 then streak[base + 2] = calendar.periods[1] end
        streak[base + 1] = streak[base + 1] + 1
        streak[base + 3] = period
        streak[base + 4] = now
        streak[base + 6] = 0
        if f == rule.frequency then extended = true end
      end
    end
  end
  return extended
end

-- True when no event can extend the streak before a period ends.
local function isExtended(user, rule, calendar)
  if not rule.enabled or not wantsStreak(user) then return true end
  local streak, periods = user.streak, calendar.periods
  return streak[3] >= periods[1] and streak[3 + STREAK_VALUES] >= periods[2] and streak[3 + 2 * STREAK_VALUES] >= periods[3]
end
