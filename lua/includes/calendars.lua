-- Returns the calendars of a call, in order and by zone, with their runs by leaderboard.
local function readCalendars(packed)
  local calendars = { decode(packed) }
  for i = 1, #calendars do
    local calendar = calendars[i]
    calendars[calendar.zone] = calendar
    local flat, runs = calendar.runs, {}
    for at = 0, #flat - 1, RUN.size do runs[flat[at + RUN.board]] = flat[at + RUN.firstDay] end
    calendar.runs = runs
  end
  return calendars
end
