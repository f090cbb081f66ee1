-- Ends of periods that a calendar knows: of each frequency those from 3 before the current one to 3 after it.
local PERIODS_AROUND = 3

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

-- When a period ends, seconds since 1970: 0 when that is long ago, for a far one the last end known. JSON until somebody asks.
local function endOf(calendar, f, period)
  if type(calendar.ends) == 'string' then calendar.ends = cjson.decode(calendar.ends) end
  local at = math.min(period - calendar.periods[f], PERIODS_AROUND) + PERIODS_AROUND
  if at < 0 then return 0 end
  return calendar.ends[(f - 1) * (2 * PERIODS_AROUND + 1) + at + 1]
end

-- When the streak of a frequency ends unless it is extended: with the next period, in that zone of all those in which the user
-- has been since the last extension where it ends last. What such a zone grants beyond the present one is the slack.
local function deadlineOf(user, calendar, f)
  local streak, base = user.streak, (f - 1) * STREAK_VALUES
  return endOf(calendar, f, streak[base + 3] + 1) + streak[base + 6]
end
