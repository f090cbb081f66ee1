--- @include "periodEnds"
--- @include "settleStreaks"
--- @include "userState"

-- Moves the streaks of a user to another zone. The gap since the last extension counts in both zones, and the
-- smaller one
-- holds: the time that the old zone grants beyond the new one becomes slack. Periods keep their numbers, so
-- no journey makes a streak longer or keeps it for ever.
local function moveStreak(user, from, to)
  local streak = open(user).streak
  for f = FREQUENCY.daily, FREQUENCY.monthly do
    local base = (f - 1) * STREAK.size
    if streak[base + STREAK.length] > 0 then
      local endThere = endOf(to, f, streak[base + STREAK.lastPeriod] + 1)
      local slack = math.max(0, deadlineOf(user, from, f) - endThere)
      if slack ~= streak[base + STREAK.slack] then
        openToChange(user)
        streak[base + STREAK.slack] = slack
      end
    end
  end
end

-- Returns the calendar of the user's zone after the change; nil and the zone if the call lacks a calendar.
-- The server may not know the user's zone, and a move to another zone needs the old calendar, too.
local function findCalendar(calendars, user, profile, rules, seconds)
  local defaultZone = rules.defaultZone
  local old = user.tz or defaultZone
  local new = old
  if profile and profile.tz ~= nil then new = profile.tz or defaultZone end
  local calendar = calendars[new]
  if not calendar then return nil, new end
  if new ~= old and not user.isNew then
    if not calendars[old] then return nil, old end
    -- A streak that was lost before the move stays lost.
    settleStreaks(user, calendars[old], rules, seconds)
    moveStreak(user, calendars[old], calendar)
  end
  return calendar
end
