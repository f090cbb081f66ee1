--- @include "decimal"

-- The member that this change makes of the user. The ticket in it is the same for all leaderboards. Tickets fall with the order of
-- arrival (TICKET).
local function memberOf(context)
  if not context.firstArrival then
    context.firstArrival = call('INCRBY', context.prefix .. TENANT_KEY.arrivals(), decimal(context.size)) - context.size
  end
  context.ticket = format(TICKET.format, TICKET.max - context.firstArrival - context.index)
  context.member = context.ticket .. context.userId
  return context.member
end

-- See rankMoves.
local function beginMoves(ranking)
  ranking.moves, ranking.user, ranking.leaves = 0, false, 0
  ranking.added, ranking.removed, ranking.reports = {}, {}, {}
end

-- What this call knows of the ranking of one group of one run. The first `max` members have the places; those behind them, up to `keep`
-- members in all, are the reserve, from which free places are filled. It is read once a call, since nobody else writes during the call.
-- size: number of members, with the moves that are not written yet; written: without them. lowest, threshold: see lowestOf and thresholdOf.
-- frees: whether a move that is not written may leave room for a lower score. For the rest see rankMoves.
local function openRanking(context, rule, run, group)
  local no, isWhole = rule.no, group == ''
  local id = isWhole and no * 100000 + run or no .. ':' .. run .. ':' .. group
  local ranking = context.rankings[id]
  if not ranking then
    local key = context.prefix .. TENANT_KEY.board(no, run, group)
    local size = call('ZCARD', key)
    ranking = { key = key, no = no, size = size, written = size, max = rule.max, keep = rule.keep, lowest = false, frees = false, ranks = {},
      threshold = false }
    beginMoves(ranking)
    context.rankings[id] = ranking
  end
  if isWhole then rule.run, rule.ranking = run, ranking end
  return ranking
end

-- The score that a newcomer must surpass, because the set is full; else false. ranking.lowest has it once it is known.
local function lowestOf(ranking)
  if ranking.size < ranking.keep or ranking.frees then return false end
  if not ranking.lowest then
    ranking.lowest = tonumber(call('ZRANGE', ranking.key, '0', '0', 'WITHSCORES')[SCORED.score])
  end
  return ranking.lowest
end

-- The score of the last place while all places are taken, else 0: of the written members. ranking.threshold has it once it is known.
local function thresholdOf(ranking)
  if ranking.written < ranking.max then return 0 end
  if not ranking.threshold then
    local last = decimal(ranking.max - 1)
    ranking.threshold = tonumber(call('ZREVRANGE', ranking.key, last, last, 'WITHSCORES')[SCORED.score])
  end
  return ranking.threshold
end
