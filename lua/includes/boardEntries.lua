--- @include "rankingOrder"
--- @include "timeOf"

-- Returns the number of the LEAGUE_ENTRY of a leaderboard.
local function leagueNo(no)
  return BOARD.blocked - no
end

-- Returns which entries are of leaderboards that are not over, by BOARD_ENTRY.board.
local function liveBoards(rules)
  local time = timeOf(rules)
  if not time.isLive then
    time.isLive = {}
    for _, no in ipairs(time.boards) do time.isLive[no], time.isLive[leagueNo(no)] = true, true end
  end
  return time.isLive
end

-- Removes the entries of leaderboards that are over, so that the list stays bounded. Entries that hide the
-- user stay.
-- Returns the end of the list.
local function forgetBoards(boards, rules)
  local isLive, kept = liveBoards(rules), 0
  for entry = 0, #boards - 1, BOARD_ENTRY.size do
    local isHidden = boards[entry + BOARD_ENTRY.ticket] == TICKET.hidden
    if isHidden or isLive[boards[entry + BOARD_ENTRY.board]] then
      for i = 1, BOARD_ENTRY.size do boards[kept + i] = boards[entry + i] end
      kept = kept + BOARD_ENTRY.size
    end
  end
  for i = #boards, kept + 1, -1 do boards[i] = nil end
  return kept
end

-- Whether the user is hidden from all leaderboards: an entry of no leaderboard (BOARD) then gives the reason.
local function isAway(boards)
  for entry = 0, #boards - 1, BOARD_ENTRY.size do
    local no = boards[entry + BOARD_ENTRY.board]
    if no <= BOARD.optedOut and no >= BOARD.blocked then return true end
  end
  return false
end

-- Begins a run of a leaderboard for the user; a hidden user stays hidden. Returns the index of the entry.
local function beginRun(boards, entry, rule, run, rules)
  if not boards[entry + BOARD_ENTRY.board] then entry = forgetBoards(boards, rules) end
  boards[entry + BOARD_ENTRY.board], boards[entry + BOARD_ENTRY.run] = rule.no, run
  boards[entry + BOARD_ENTRY.score] = leastScore(rule)
  if boards[entry + BOARD_ENTRY.ticket] ~= TICKET.hidden then
    boards[entry + BOARD_ENTRY.ticket] = isAway(boards) and TICKET.away or ''
  end
  return entry
end
