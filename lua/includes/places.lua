--- @include "timeOf"

-- Where the values of a leaderboard start in the user's flat list of PLACE; at the end if the leaderboard is new to the user.
local function findPlace(boards, no)
  for place = 0, #boards - 1, PLACE.size do
    if boards[place + PLACE.board] == no then return place end
  end
  return #boards
end

-- Removes the leaderboards that are over from the user's list, so that it stays bounded. Those that hide the user stay.
-- Returns the end of the list.
local function forgetBoards(boards, rules)
  local time, kept = timeOf(rules), 0
  if not time.isLive then
    time.isLive = {}
    for _, no in ipairs(time.boards) do time.isLive[no] = true end
  end
  for place = 0, #boards - 1, PLACE.size do
    if time.isLive[boards[place + PLACE.board]] or boards[place + PLACE.ticket] == TICKET.hidden then
      for i = 1, PLACE.size do boards[kept + i] = boards[place + i] end
      kept = kept + PLACE.size
    end
  end
  for i = #boards, kept + 1, -1 do boards[i] = nil end
  return kept
end

-- Begins a run of a leaderboard for the user; a hidden user stays hidden. Returns where its values start.
local function beginRun(boards, place, no, run, rules)
  if not boards[place + PLACE.board] then place = forgetBoards(boards, rules) end
  boards[place + PLACE.board], boards[place + PLACE.run] = no, run
  boards[place + PLACE.score] = 0
  if boards[place + PLACE.ticket] ~= TICKET.hidden then boards[place + PLACE.ticket] = '' end
  return place
end
