--- @include "decimal"

-- The ticket of this change and the member that it makes of the user. A change has one for all leaderboards. Tickets fall with the
-- order of arrival (TICKET).
local function ticketOf(context)
  if not context.ticket then
    if not context.firstArrival then
      context.firstArrival = call('INCRBY', context.prefix .. TENANT_KEY.arrivals(), decimal(context.size)) - context.size
    end
    context.ticket = format(TICKET.format, TICKET.max - context.firstArrival - context.index)
    context.member = context.ticket .. context.userId
  end
  return context.ticket, context.member
end

-- What this call knows of the ranking of one group of one run. The first `max` members have the places; those behind them, up to `keep`
-- members in all, are the reserve, from which free places are filled. It is read once a call, since nobody else writes during the call.
-- size: number of members. lowest, lowestMember: of the whole set while it has `keep` members. threshold: see thresholdOf.
local function openRanking(context, rule, run, group)
  local no, isWhole = rule.no, group == ''
  local id = isWhole and no * 100000 + run or no .. ':' .. run .. ':' .. group
  local ranking = context.rankings[id]
  if not ranking then
    local key = context.prefix .. TENANT_KEY.board(no, run, group)
    ranking = { key = key, no = no, size = call('ZCARD', key), max = rule.max, keep = rule.keep, lowest = false,
      lowestMember = false, threshold = false }
    context.rankings[id] = ranking
  end
  if isWhole then rule.run, rule.ranking = run, ranking end
  return ranking
end

-- The score that a newcomer must surpass, because the set is full; else false. ranking.lowest has it once it is known.
local function lowestOf(ranking)
  if ranking.size < ranking.keep then return false end
  if not ranking.lowest then
    local lowest = call('ZRANGE', ranking.key, '0', '0', 'WITHSCORES')
    ranking.lowestMember, ranking.lowest = lowest[SCORED.member], tonumber(lowest[SCORED.score])
  end
  return ranking.lowest
end

-- The score of the last place while all places are taken, else false. ranking.threshold has it once it is known.
local function thresholdOf(ranking)
  if ranking.size < ranking.max then return false end
  if not ranking.threshold then
    local last = decimal(ranking.max - 1)
    ranking.threshold = tonumber(call('ZREVRANGE', ranking.key, last, last, 'WITHSCORES')[SCORED.score])
  end
  return ranking.threshold
end

-- Forgets the score of the last place if a member moves past it. A move among the members ahead of it, or among those behind, leaves it.
local function noteMove(ranking, scoreBefore, score)
  local threshold = ranking.threshold
  if not threshold then return end
  if scoreBefore <= threshold and score > threshold or scoreBefore >= threshold and score < threshold then
    ranking.threshold = false
  end
end

-- A ranking whose reserve is half used up is marked: users outside, if there are any, then fill it before a place stays empty.
local function leave(context, ranking, member, score)
  call('ZREM', ranking.key, member)
  noteMove(ranking, score, -math.huge)
  ranking.size, ranking.lowest = ranking.size - 1, false
  if 2 * ranking.size == ranking.max + ranking.keep then
    local no = decimal(ranking.no)
    call('SADD', KEY.dueBoards(context.dueKey), KEY.dueBoardMember(context.tenant, no))
  end
end

local function enter(ranking, member, score)
  call('ZADD', ranking.key, decimal(score), member)
  noteMove(ranking, -math.huge, score)
  ranking.size = ranking.size + 1
end

local function replace(ranking, memberBefore, scoreBefore, member, score)
  call('ZREM', ranking.key, memberBefore)
  call('ZADD', ranking.key, decimal(score), member)
  noteMove(ranking, scoreBefore, score)
  local lowest = ranking.lowest
  if lowest and (scoreBefore <= lowest or score <= lowest) then ranking.lowest = false end
end
