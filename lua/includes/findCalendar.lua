-- A user who moves keeps the gap since the last extension: it counts in the old and in the new zone, and the smaller one
-- holds. Periods keep their names, so that no journey makes a streak longer, or holds it for ever.
local function moveStreak(user, from, to)
  local streak = open(user).streak
  for f = 1, 3 do
    local base = (f - 1) * STREAK_VALUES
    if streak[base + 1] > 0 then
      local slack = math.max(0, deadlineOf(user, from, f) - endOf(to, f, streak[base + 3] + 1))
      if slack ~= streak[base + 6] then
        openToChange(user)
        streak[base + 6] = slack
      end
    end
  end
end

-- The calendar of the zone that holds for the user after the change, or nil and the zone whose calendar is missing: the
-- server may not know the user, and moving to another zone needs the old calendar too.
local function findCalendar(calendars, user, profile, rules, seconds)
  local defaultZone = rules.defaultZone
  local old = user.tz or defaultZone
  local new = old
  if profile and profile.tz ~= nil then new = profile.tz or defaultZone end
  local calendar = calendars[new]
  if not calendar then return nil, new end
  if new ~= old and not user.isNew then
    if not calendars[old] then return nil, old end
    -- What was lost before stays lost, wherever the user moves.
    settle(user, calendars[old], rules, seconds)
    moveStreak(user, calendars[old], calendar)
  end
  return calendar
end
