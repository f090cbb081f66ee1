local function readCalendars(packed)
  local calendars = { unpack(packed) }
  for i = 1, #calendars do
    local calendar = calendars[i]
    calendars[calendar.zone] = calendar
    local runs = {}
    for r = 1, #calendar.runs, 2 do runs[calendar.runs[r]] = calendar.runs[r + 1] end
    calendar.runs = runs
  end
  return calendars
end

-- A user who moves keeps the gap since the last extension: it counts in the old and in the new zone, and the smaller one
-- holds. Where the new zone is ahead, the last period is therefore renamed, never beyond the current one.
local function moveStreak(user, from, to)
  local streak = open(user).streak
  for f = 1, 3 do
    local base = (f - 1) * STREAK_VALUES
    local ahead = to.periods[f] - from.periods[f]
    if ahead > 0 and streak[base + 1] > 0 then
      streak[base + 3] = math.max(streak[base + 3], math.min(streak[base + 3] + ahead, to.periods[f]))
      openToChange(user)
    end
  end
end

-- The calendar of the zone that holds for the user after the change, or nil and the zone whose calendar is missing: the
-- server may not know the user, and moving to another zone needs the old calendar too.
local function findCalendar(calendars, user, profile, defaultZone)
  local old = user.tz or defaultZone
  local new = old
  if profile and profile.tz ~= nil then new = profile.tz or defaultZone end
  local calendar = calendars[new]
  if not calendar then return nil, new end
  if new ~= old and not user.isNew then
    if not calendars[old] then return nil, old end
    moveStreak(user, calendars[old], calendar)
  end
  return calendar
end
