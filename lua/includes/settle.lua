-- Brings the time-dependent part of a user up to the calendar: a streak with a whole period missed is lost.
-- Answers whether anything changed.
local function settle(user, calendar)
  local streak, changed = open(user).streak, false
  for f = 1, 3 do
    local base = (f - 1) * STREAK_VALUES
    local length = streak[base + 1]
    if length > 0 and streak[base + 3] < calendar.periods[f] - 1 then
      streak[base + 5] = length
      streak[base + 1] = 0
      changed = true
    end
  end
  if changed then openToChange(user) end
  return changed
end

-- The streak of the frequency in force: length, first day, last extended period.
local function streakInForce(user, rules)
  local streak, base = open(user).streak, (rules.streak.frequency - 1) * STREAK_VALUES
  return streak[base + 1], streak[base + 2], streak[base + 3]
end

local function settledStreak(user, rules, calendar)
  settle(user, calendar)
  return streakInForce(user, rules)
end
