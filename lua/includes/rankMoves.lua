--- @include "decimal"
--- @include "ranking"
--- @include "takeBack"

-- A change moves a user on rankings in memory only. finishMoves writes the moves of all changes with two commands for each ranking, and reads
-- ranks and thresholds once after them. So all these changes report the places after the last of them. Of each ranking there are
-- moves: their number; they count from 0, and further changes of a user in a row belong to the same one. user: of the last move
-- added: flat list of ADDED, by move; the member is false if the user has left. leaves: number of these
-- removed: members that the moves replace or remove
-- reports: by move, where the PLACE_CHANGE begins that lacks its rank and threshold, if one does
-- ranks: after the moves, by move

local function newMove(context, ranking)
  local move = ranking.moves
  if move == 0 then
    local moved = context.moved
    moved[#moved + 1] = ranking
  end
  ranking.moves, ranking.user = move + 1, context.userId
  return move
end

-- The move that has put a member on the ranking, nil without one: then the ticket is older than this call.
local function moveOf(context, ranking, ticket, member)
  if not context.firstArrival or tonumber(ticket, 16) >= TICKET.max - context.firstArrival then return nil end
  for move = ranking.moves - 1, 0, -1 do
    if ranking.added[move * ADDED.size + ADDED.member] == member then return move end
  end
end

-- The move of a user who is on the ranking, else nil. The second value is the rank before, from 0; nil if a change of this call has moved the
-- user before.
local function moveFrom(context, ranking, ticket)
  if ticket == '' then return nil, nil end
  local userId = context.userId
  local member = ticket .. userId
  local rank = ranking.user ~= userId and call('ZREVRANK', ranking.key, member)
  if not rank then return moveOf(context, ranking, ticket, member), nil end
  local removed = ranking.removed
  removed[#removed + 1] = member
  return newMove(context, ranking), rank
end

local function leave(ranking, move)
  ranking.added[move * ADDED.size + ADDED.score], ranking.added[move * ADDED.size + ADDED.member] = false, false
  ranking.leaves, ranking.size, ranking.frees = ranking.leaves + 1, ranking.size - 1, true
end

-- Puts a user who is not on the ranking there, if there is room for the score. Returns the move, or nil.
local function enter(context, ranking, score)
  local lowest = lowestOf(ranking)
  if lowest and score <= lowest then return nil end
  ranking.size = ranking.size + 1
  if ranking.user ~= context.userId then return newMove(context, ranking) end
  -- The user has left by the last move.
  ranking.leaves = ranking.leaves - 1
  return ranking.moves - 1
end

-- Whether no move so far leaves room for a place with this score.
local function isHopeless(ranking, score)
  return not ranking.frees and score <= thresholdOf(ranking)
end

-- Notes a PLACE_CHANGE that lacks more than the rank and threshold of a move: with `left` the rank before, which is that after this move on
-- `from`; with `to` the threshold and, with `move`, the rank there. It is taken back if the user has no place before and after.
local function completeLater(context, n, from, left, to, move)
  local later = context.later
  local start = #later
  later[start + LATER.report], later[start + LATER.countAt] = n, context.placeCountAt
  later[start + LATER.from], later[start + LATER.left] = from or false, left or false
  later[start + LATER.to], later[start + LATER.move] = to or false, move or false
end

-- Removes members that have become too many. A ranking whose reserve is half used up is marked: users outside, if there are any, then fill
-- it before a place stays empty.
local function limitSize(context, ranking)
  local written, half = ranking.written, ranking.max + ranking.keep
  local most = math.max(ranking.keep, written)
  if ranking.size > most then
    call('ZREMRANGEBYRANK', ranking.key, '0', decimal(ranking.size - most - 1))
    ranking.size = most
  end
  if 2 * written > half and 2 * ranking.size <= half then
    local no = decimal(ranking.no)
    call('SADD', KEY.dueBoards(context.dueKey), KEY.dueBoardMember(context.tenant, no))
  end
  ranking.written, ranking.lowest, ranking.threshold, ranking.frees = ranking.size, false, false, false
end

local function withoutLeaves(added)
  local stays = {}
  for i = 1, #added do
    if added[i] then stays[#stays + 1] = added[i] end
  end
  return stays
end

local function writeMoves(ranking)
  local added, removed = ranking.added, ranking.removed
  if ranking.leaves > 0 then added = withoutLeaves(added) end
  if #removed > 0 then call('ZREM', ranking.key, unpack(removed)) end
  if #added > 0 then call('ZADD', ranking.key, unpack(added)) end
end

-- Nobody sees the reserve.
local function finishRanking(context, ranking)
  writeMoves(ranking)
  limitSize(context, ranking)
  local key, max, added, reports, ranks, out = ranking.key, ranking.max, ranking.added, ranking.reports, ranking.ranks, context.out
  local threshold = thresholdOf(ranking)
  for move = 0, ranking.moves - 1 do
    local member, n = added[move * ADDED.size + ADDED.member], reports[move]
    local rank = member and call('ZREVRANK', key, member)
    rank = rank and rank < max and rank + 1
    ranks[move] = rank
    if n then out[n + PLACE_CHANGE.rank], out[n + PLACE_CHANGE.threshold] = rank, threshold end
  end
  beginMoves(ranking)
end

-- Takes each PLACE_CHANGE back that begins behind one of these numbers of values, which rise.
local function takeBackPlaces(out, starts)
  local length, kept, behind = #out, nil, nil
  local function keepUntil(last)
    for i = behind + 1, last do
      kept = kept + 1
      out[kept] = out[i]
    end
  end
  for _, start in ipairs(starts) do
    if kept then keepUntil(start) else kept = start end
    behind = start + (out[start + PLACE_CHANGE.board] < 0 and PLACE_CHANGE.size or PLACE_CHANGE.group - 1)
  end
  keepUntil(length)
  takeBack(out, kept)
end

-- Completes the reports that completeLater has noted. Returns where those begin that are without a place.
local function completeReports(out, later)
  local empty = {}
  for at = 0, #later - 1, LATER.size do
    local n, countAt = later[at + LATER.report], later[at + LATER.countAt]
    local left, to, move = later[at + LATER.left], later[at + LATER.to], later[at + LATER.move]
    if left then out[n + PLACE_CHANGE.previousRank] = later[at + LATER.from].ranks[left] end
    if to then out[n + PLACE_CHANGE.threshold] = thresholdOf(to) end
    if move then out[n + PLACE_CHANGE.rank] = to.ranks[move] end
    if not out[n + PLACE_CHANGE.rank] and not out[n + PLACE_CHANGE.previousRank] then
      empty[#empty + 1] = n
      out[countAt] = out[countAt] - 1
    end
  end
  return empty
end

-- Writes all moves and completes what the changes have reported.
local function finishMoves(context)
  local moved, later = context.moved, context.later
  for i = 1, #moved do finishRanking(context, moved[i]) end
  if #moved > 0 then context.moved = {} end
  if #later == 0 then return end
  local empty = completeReports(context.out, later)
  if #empty > 0 then takeBackPlaces(context.out, empty) end
  context.later = {}
end
