--- @include "decimal"

-- Returns the sorted-set member for this user. Its ticket is the same on all leaderboards. Tickets fall in
-- the order of arrival (TICKET). If the tenant is spread over cells, arrivals are not below
-- context.leastArrival, which grows with time, so tickets of all cells have one order.
local function memberOf(context)
  if not context.firstArrival then
    local key = context.prefix .. TENANT_KEY.arrivals()
    local arrivals = call('INCRBY', key, decimal(context.size))
    if arrivals - context.size < context.leastArrival then
      arrivals = context.leastArrival + context.size
      call('SET', key, decimal(arrivals))
    end
    context.firstArrival = arrivals - context.size
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

-- The state of the ranking of one group of one run. The first `max` members have a rank. Those after them, up
-- to `keep` members in all, are the reserve, which fills ranks that become free (leftOut.lua). Read once a
-- call, because nobody else writes during a call.
-- size: number of members, with the moves that are not written yet. written: without these moves.
-- worst, threshold: cached by hasRoom and thresholdOf. frees: whether a move that is not written yet may make
-- room for a worse score. floor: false, or the score of the last rank among all users of the tenant
-- (RANK_FLOOR): users with a lower score, and those who rise to it, have no rank. The other fields: see
-- rankMoves.
local function openRanking(context, rule, run, group)
  -- Numbers become texts once a run, which costs more than most commands.
  if rule.namedRun ~= run then
    local no, whole = rule.no, ''
    rule.namedRun, rule.name = run, context.prefix .. TENANT_KEY.board(no, run, whole)
  end
  local key = rule.name .. group
  local ranking = context.rankings[key]
  if not ranking then
    -- The seats bound a group of a league: it has no reserve and never fills up.
    local size = rule.league and 0 or call('ZCARD', key)
    ranking = {
      key = key, run = run, group = group, rule = rule,
      size = size, written = size, max = rule.max, keep = rule.keep,
      worst = false, frees = false, ranks = {}, threshold = false,
      floor = context.floors and context.floors[key] or false,
    }
    beginMoves(ranking)
    context.rankings[key] = ranking
  end
  if group == '' then rule.run, rule.ranking = run, ranking end
  return ranking
end
