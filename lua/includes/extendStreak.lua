-- True when the sums of this period, with the new value, meet the conditions. The sums are kept only until they do.
local function meetsConditions(user, rule, f, period, metric, value)
  local progress = user.progress[f]
  if not progress or progress[1] ~= period then progress = { period, {} } end
  local sums, met = progress[2], 0
  sums[metric] = (sums[metric] or 0) + value
  for _, condition in ipairs(rule.conditions) do
    if (sums[condition.metric] or 0) >= condition.threshold then met = met + 1 end
  end
  if met == #rule.conditions or (rule.any and met > 0) then
    user.progress[f] = false
    return true
  end
  user.progress[f] = progress
  return false
end

-- Extends the streak of each frequency at most once per period, in the period in which the conditions become true.
-- Answers whether the one in force was extended.
local function extendStreak(user, rule, calendar, metric, value, now)
  if #rule.conditions == 0 then return false end
  local streak, extended = open(user).streak, false
  for f = 1, 3 do
    local base, period = (f - 1) * STREAK_VALUES, calendar.periods[f]
    if streak[base + 3] < period then
      openToChange(user)
      if meetsConditions(user, rule, f, period, metric, value) then
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
  if not rule.enabled then return true end
  local streak, periods = open(user).streak, calendar.periods
  return streak[3] >= periods[1] and streak[3 + STREAK_VALUES] >= periods[2] and streak[3 + 2 * STREAK_VALUES] >= periods[3]
end
