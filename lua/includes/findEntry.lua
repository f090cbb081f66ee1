-- Returns the index of the leaderboard's entry in the user's flat list of BOARD_ENTRY; if there is none, the
-- end of the list, where a new entry is appended.
local function findEntry(boards, no)
  for entry = 0, #boards - 1, BOARD_ENTRY.size do
    if boards[entry + BOARD_ENTRY.board] == no then return entry end
  end
  return #boards
end
