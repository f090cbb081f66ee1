--- @include "userState"

-- Returns the weekdays on which the user's streak needs nothing, as bits: Sunday is the lowest. 0 without
-- any.
local function daysOffOf(user, rule)
  local preferences = rule.ownDaysOff and open(user).preferences
  return preferences and preferences.streakDaysOff or rule.daysOff
end

-- 1970-01-01, day 0, was a Thursday.
local function isDayOff(daysOff, day)
  return daysOff > 0 and floor(daysOff / 2 ^ ((day + 4) % 7)) % 2 == 1
end
