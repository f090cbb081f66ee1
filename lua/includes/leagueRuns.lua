--- @include "decimal"

-- A run of a league is over for everybody in a cell once somebody has moved by its ranks, or a worker is
-- about to make them final. Changes that were prepared before and come later count in the run that has begun.

-- Remembers that a run of a league has begun. run: LEAGUE_RUN
local function beginLeagueRun(prefix, no, run)
  local key, field = prefix .. TENANT_KEY.leagueRuns(), decimal(no)
  local begun = call('HGET', key, field)
  if begun and decode(begun)[LEAGUE_RUN.number] >= run[LEAGUE_RUN.number] then return end
  call('HSET', key, field, encode(run))
end

-- Replaces runs of leagues that are over.
local function useBegunRuns(prefix, calendars)
  local flat = call('HGETALL', prefix .. TENANT_KEY.leagueRuns())
  for at = 0, #flat - 1, BEGUN_RUN.size do
    local no, run = tonumber(flat[at + BEGUN_RUN.league]), decode(flat[at + BEGUN_RUN.run])
    local firstDay, number, isOver = run[LEAGUE_RUN.firstDay], run[LEAGUE_RUN.number], run[LEAGUE_RUN.isOver]
    for i = 1, #calendars do
      local runs = calendars[i].runs
      if runs[-no] and runs[-no] < number then
        runs[no], runs[-no] = not isOver and firstDay or nil, not isOver and number or nil
      end
    end
  end
end
