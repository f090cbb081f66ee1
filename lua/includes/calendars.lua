-- Returns the calendars of a call, in order and by zone, with their runs by leaderboard. prefix: of the
-- tenant's keys; nil for calendars of the past.
local function readCalendars(packed, prefix)
  local calendars, hasLeagues = { decode(packed) }, false
  for i = 1, #calendars do
    local calendar = calendars[i]
    calendars[calendar.zone] = calendar
    local flat, runs = calendar.runs, {}
    for at = 0, #flat - 1, RUN.size do runs[flat[at + RUN.board]] = flat[at + RUN.firstDay] end
    calendar.runs, hasLeagues = runs, calendar.hasLeagues
  end
  if prefix and hasLeagues then
    --- @include "leagueRuns"
    useBegunRuns(prefix, calendars)
  end
  return calendars
end
