--- @include "decimal"
--- @include "ranking"
--- @include "rankingOrder"

-- Makes room on a ranking for a new member with this score. Returns false if all members are as good.
local function makeRoom(key, keep, score)
  if call('ZCARD', key) < keep then return true end
  if score <= worstScore(key) then return false end
  call('ZREMRANGEBYRANK', key, '0', '0')
  return true
end

-- Puts a user with a new score above 0 at the right rank of a leaderboard without groups and `order`, for a
-- change whose moves are not deferred: the lists in which rankMoves gathers the moves of many changes would
-- cost more than the commands. Reports the move (BOARD_CHANGE). Returns whether there is a report.
local function moveAtOnce(context, rule, boards, entry, previous)
  local no, whole, max, run = rule.no, '', rule.max, boards[entry + BOARD_ENTRY.run]
  -- Most leaderboards of a call have runs that begin on the same day.
  if context.run ~= run then context.run, context.firstDay = run, decimal(run) end
  local firstDay = context.firstDay
  local key = context.prefix .. TENANT_KEY.board(no, firstDay, whole)
  local score, ticket = boards[entry + BOARD_ENTRY.score], boards[entry + BOARD_ENTRY.ticket]
  local former, rankBefore = ticket .. context.userId, false
  if ticket ~= '' then rankBefore = call('ZREVRANK', key, former) end
  if rankBefore then
    call('ZREM', key, former)
  elseif not makeRoom(key, rule.keep, score) then
    boards[entry + BOARD_ENTRY.ticket] = ''
    return false
  end
  local member = context.member or memberOf(context)
  call('ZADD', key, decimal(score), member)
  boards[entry + BOARD_ENTRY.ticket] = context.ticket
  local rank = call('ZREVRANK', key, member)
  rank = rank < max and rank + 1
  local previousRank = rankBefore and rankBefore < max and rankBefore + 1
  -- A move within the reserve is not reported.
  if not rank and not previousRank then return false end

  local out = context.out
  local n = #out
  out[n + BOARD_CHANGE.board], out[n + BOARD_CHANGE.run] = no, run
  out[n + BOARD_CHANGE.rank], out[n + BOARD_CHANGE.previousRank] = rank, previousRank
  out[n + BOARD_CHANGE.threshold] = lastScore(key, max) or 0
  out[n + BOARD_CHANGE.value], out[n + BOARD_CHANGE.previousValue] = score, previous
  return true
end
