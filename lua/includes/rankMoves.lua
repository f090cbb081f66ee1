--- @include "ranking"
--- @include "rankingOrder"

-- A change moves a user on rankings in memory only, except by moveAtOnce. finishMoves writes the moves of all
-- changes with two commands for each ranking, and then reads ranks and thresholds once. So all these changes
-- report the ranks after the last change.
-- Fields of a ranking:
-- moves: number of moves, which are numbered from 0. Changes of one user in a row belong to the same move.
-- user: the user of the last move
-- added: flat list of ADDED, by move; the member is false if the user has left. leaves: number of such moves
-- removed: members that the moves replace or remove
-- reports: by move, index of the BOARD_CHANGE that lacks its rank and threshold, if one does
-- ranks: ranks after the moves, by move

local function newMove(context, ranking)
  local move = ranking.moves
  if move == 0 then
    local moved = context.moved
    moved[#moved + 1] = ranking
  end
  ranking.moves, ranking.user = move + 1, context.userId
  return move
end

-- Returns the move that has put a member on the ranking; nil if its ticket is older than this call.
local function moveOf(context, ranking, ticket, member)
  if not context.firstArrival or tonumber(ticket, 16) >= TICKET.max - context.firstArrival then return nil end
  for move = ranking.moves - 1, 0, -1 do
    if ranking.added[move * ADDED.size + ADDED.member] == member then return move end
  end
end

-- Returns the move of a user who is on the ranking, else nil; and the rank before the move, from 0, which is
-- nil if an earlier change of this call has moved the user.
-- score: of the user before the move
local function moveFrom(context, ranking, ticket, score)
  if ticket == '' then return nil, nil end
  local userId = context.userId
  local member = ticket .. userId
  local rank
  if ranking.user ~= userId then
    -- Below the floor it is any rank beyond the last one.
    rank = ranking.floor and score < ranking.floor and call('ZSCORE', ranking.key, member) and math.huge
      or call('ZREVRANK', ranking.key, member)
  end
  if not rank then return moveOf(context, ranking, ticket, member), nil end
  local removed = ranking.removed
  removed[#removed + 1] = member
  return newMove(context, ranking), rank
end

local function leave(ranking, move)
  local base = move * ADDED.size
  ranking.added[base + ADDED.score], ranking.added[base + ADDED.member] = false, false
  ranking.leaves, ranking.size, ranking.frees = ranking.leaves + 1, ranking.size - 1, true
end

-- Puts a user who is not on the ranking there, if it has room for the score. Returns the move, or nil.
local function enter(context, ranking, score)
  if not hasRoom(ranking, score) then return nil end
  ranking.size = ranking.size + 1
  if ranking.user ~= context.userId then return newMove(context, ranking) end
  -- The user has left by the last move.
  ranking.leaves = ranking.leaves - 1
  return ranking.moves - 1
end

-- Adds a BOARD_CHANGE to those that finishMoves completes, because it lacks more than the rank and threshold
-- of a move.
-- With `left`, it lacks the previous rank: the rank after this move on `from`. With `to`, it lacks the
-- threshold, and with `move` also the rank there. finishMoves removes the report if the user has no rank
-- before and after.
local function completeLater(context, n, from, left, to, move)
  local later = context.later
  local start = #later
  later[start + LATER.report], later[start + LATER.countAt] = n, context.boardCountAt
  later[start + LATER.from], later[start + LATER.left] = from or false, left or false
  later[start + LATER.to], later[start + LATER.move] = to or false, move or false
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

-- Writes the moves on a ranking and reports ranks and threshold. Members of the reserve have no rank. isLast:
-- whether the call makes no further moves.
local function finishRanking(context, ranking, isLast)
  local isWeaker = ranking.frees and not ranking.rule.league
  local worst = isWeaker and ranking.written >= ranking.keep and worstScore(ranking.key)
  writeMoves(ranking)
  limitSize(ranking)
  if isWeaker then
    --- @include "leftOut"
    keepLeftOut(context, ranking, worst)
  end
  local key, max, order, out = ranking.key, ranking.max, ranking.rule.order, context.out
  local added, reports, ranks = ranking.added, ranking.reports, ranking.ranks
  local threshold = thresholdOf(ranking)
  for move = 0, ranking.moves - 1 do
    local member, n = added[move * ADDED.size + ADDED.member], reports[move]
    local score, rank = added[move * ADDED.size + ADDED.score], false
    local above = ranking.floor and member and tonumber(score) - ranking.floor or 1
    -- A member that had a rank, as the report says, may fall to the score of the last rank and be the last.
    if above > 0 or above == 0 and n then rank = member and call('ZREVRANK', key, member) end
    rank = rank and rank < max and rank + 1
    if rank and order and order.isShared then rank = sharedRank(key, score) end
    ranks[move] = rank
    if n then out[n + BOARD_CHANGE.rank], out[n + BOARD_CHANGE.threshold] = rank, threshold end
  end
  if not isLast then beginMoves(ranking) end
end

-- Writes all moves and completes the reports of the changes.
local function finishMoves(context, isLast)
  local moved, later = context.moved, context.later
  for i = 1, #moved do finishRanking(context, moved[i], isLast) end
  if #moved > 0 then context.moved = {} end
  if #later == 0 then return end
  --- @include "completeReports"
  local empty = completeReports(context.out, later)
  if #empty > 0 then removeReports(context.out, empty, context.notes) end
  context.later = {}
end
