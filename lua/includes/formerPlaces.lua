--- @include "boardEntries"
--- @include "userState"

-- A user's places in runs before the present ones of their leaderboards (FORMER_PLACE), by number of the
-- leaderboard, as long as Redis has the rankings: those of a run go when it is final.

local function setFormerPlaces(user, no, kept)
  local places = openToChange(user).formerPlaces or {}
  places[no] = kept
  user.formerPlaces = next(places) ~= nil and places
end

-- Keeps the place that a BOARD_ENTRY has in a run and a group (nil without one), instead of what is kept of
-- this run. Without a place, nothing is kept of it.
local function keepFormerPlace(context, user, boards, entry, group)
  local no, run = boards[entry + BOARD_ENTRY.board], boards[entry + BOARD_ENTRY.run]
  local ticket, places = boards[entry + BOARD_ENTRY.ticket], open(user).formerPlaces
  local known, kept = places and places[no] or {}, {}
  for at = 0, #known - 1, FORMER_PLACE.size do
    local ofRun, ofGroup = known[at + FORMER_PLACE.run], known[at + FORMER_PLACE.group]
    local key = context.prefix .. TENANT_KEY.board(no, ofRun, ofGroup)
    -- A ranking may be in memory only so far (rankMoves.lua).
    if ofRun ~= run and (context.rankings[key] or call('EXISTS', key) == 1) then
      for i = 1, FORMER_PLACE.size do kept[#kept + 1] = known[at + i] end
    end
  end
  if group and ticket and #ticket == TICKET.size then
    local n = #kept
    kept[n + FORMER_PLACE.run], kept[n + FORMER_PLACE.group] = run, group
    kept[n + FORMER_PLACE.ticket], kept[n + FORMER_PLACE.score] = ticket, boards[entry + BOARD_ENTRY.score]
  end
  if #known + #kept > 0 then setFormerPlaces(user, no, #kept > 0 and kept or nil) end
end

-- Forgets the places on leaderboards that are over.
local function forgetFormerPlaces(user, rules)
  local isLive = liveBoards(rules)
  for no in pairs(open(user).formerPlaces or {}) do
    if not isLive[no] then setFormerPlaces(user, no, nil) end
  end
end

-- Returns the ticket and the group of the place that the user had in a run; nil without one.
local function formerPlaceIn(user, no, run)
  local places = open(user).formerPlaces
  local known = places and places[no] or {}
  for at = 0, #known - 1, FORMER_PLACE.size do
    if known[at + FORMER_PLACE.run] == run then
      return known[at + FORMER_PLACE.ticket], known[at + FORMER_PLACE.group]
    end
  end
end
