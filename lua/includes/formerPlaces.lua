--- @include "userState"

-- A user's places in runs before the present ones of their leaderboards (FORMER_PLACE), as long as Redis has
-- the rankings: those of a run go when it is final.

-- Keeps the place that a BOARD_ENTRY has in a run and a group (nil without one), instead of what is kept of
-- this run. Without a place, nothing is kept of it.
local function keepFormerPlace(context, user, boards, entry, group)
  local no, run = boards[entry + BOARD_ENTRY.board], boards[entry + BOARD_ENTRY.run]
  local ticket = boards[entry + BOARD_ENTRY.ticket]
  local isPlace = group and ticket and #ticket == TICKET.size
  local places, kept = open(user).formerPlaces, {}
  if not isPlace and not places then return end
  for at = 0, #(places or {}) - 1, FORMER_PLACE.size do
    local ofBoard, ofRun = places[at + FORMER_PLACE.board], places[at + FORMER_PLACE.run]
    local ofGroup = places[at + FORMER_PLACE.group]
    local key = context.prefix .. TENANT_KEY.board(ofBoard, ofRun, ofGroup)
    local isSame = ofBoard == no and ofRun == run
    -- A ranking may be in memory only so far (rankMoves.lua).
    if not isSame and (context.rankings[key] or call('EXISTS', key) == 1) then
      for i = 1, FORMER_PLACE.size do kept[#kept + 1] = places[at + i] end
    end
  end
  if isPlace then
    local n = #kept
    kept[n + FORMER_PLACE.board], kept[n + FORMER_PLACE.run] = no, run
    kept[n + FORMER_PLACE.group], kept[n + FORMER_PLACE.ticket] = group, ticket
    kept[n + FORMER_PLACE.score] = boards[entry + BOARD_ENTRY.score]
  end
  openToChange(user).formerPlaces = #kept > 0 and kept
end

-- Returns the ticket and the group of the place that the user had in a run; nil without one.
local function formerPlaceIn(user, no, run)
  local places = open(user).formerPlaces or {}
  for at = 0, #places - 1, FORMER_PLACE.size do
    if places[at + FORMER_PLACE.board] == no and places[at + FORMER_PLACE.run] == run then
      return places[at + FORMER_PLACE.ticket], places[at + FORMER_PLACE.group]
    end
  end
end
