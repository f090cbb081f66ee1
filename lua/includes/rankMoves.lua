-- Several changes of a user in a row move the user in memory only; the last one writes the place. A move of the user on a ranking:
-- ranking, place (where the values of the leaderboard start in the user's list), member and scoreBefore (as in Redis), rank and score
-- (as they are now), reach (the score up to which that rank stays, false while unknown). Tables are used again.

local function moveOf(context, place)
  for i = 1, context.moving do
    if context.moves[i].place == place then return context.moves[i] end
  end
end

local function finishMoves(context, user)
  for i = 1, context.moving do
    local move, ticket, member = context.moves[i], ticketOf(context)
    replace(move.ranking, move.member, move.scoreBefore, member, move.score)
    user.boards[move.place + PLACE.ticket] = ticket
  end
  context.moving = 0
end

-- The new move of a user, nil if the ranking does not have the member.
local function startMove(context, ranking, place, member, score)
  local rank = call('ZREVRANK', ranking.key, member)
  if not rank then return nil end
  local moving = context.moving + 1
  local move = context.moves[moving] or {}
  move.ranking, move.place, move.member, move.scoreBefore, move.rank, move.reach = ranking, place, member, score, rank, false
  context.moves[moving], context.moving = move, moving
  return move
end

-- Whether the score of the last place stays the same, whatever Redis still has of this user.
local function leavesThreshold(ranking, scoreBefore, score)
  local threshold = ranking.threshold or thresholdOf(ranking)
  return not threshold or scoreBefore > threshold and score > threshold
end

-- The rank of a score: behind all members that have reached that score or more.
local function rankOf(move, score)
  local ahead = call('ZCOUNT', move.ranking.key, decimal(score), '+inf')
  return move.scoreBefore >= score and ahead - 1 or ahead
end

-- The score of the next member ahead. A rise up to that score changes no rank, because that member reached it first. In Redis the user
-- stands no higher than in the move, so the members ahead have the same ranks there.
local function reachOf(move)
  if move.rank == 0 then return math.huge end
  local ahead = decimal(move.rank - 1)
  return tonumber(call('ZREVRANGE', move.ranking.key, ahead, ahead, 'WITHSCORES')[SCORED.score])
end

-- Moves a user that this call changes again. Returns rank and rank before, or nil if the ranking itself must be changed now.
local function moveOn(context, user, place, from, ranking, score, previous)
  local move = context.moving > 0 and moveOf(context, place)
  if not from or from ~= ranking or score <= 0 or not leavesThreshold(ranking, move and move.scoreBefore or previous, score) then
    finishMoves(context, user)
    return nil
  end
  move = move or context.goesOn and startMove(context, ranking, place, user.boards[place + PLACE.ticket] .. context.userId, previous)
  if not move then return nil end
  local previousRank = move.rank
  move.score = score
  if score < previous or previous < move.scoreBefore then
    move.rank, move.reach = rankOf(move, score), false
  else
    move.reach = move.reach or reachOf(move)
    if score > move.reach then move.rank, move.reach = rankOf(move, score), false end
  end
  return move.rank, previousRank
end
