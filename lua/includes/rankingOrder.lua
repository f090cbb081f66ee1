--- @include "decimal"

-- The order of a ranking, which only this file knows. A leaderboard shows values. Its rankings sort by
-- scores, of which the higher one is always better: the value itself, or its negative if lower values are
-- better. Redis sorts members by rising score, so the best member is the last one. Members of equal score are
-- sorted by ticket (TICKET).
-- `order` of a leaderboard (ScriptOrder) is nil if values are scores, those above 0 have a rank, and equal
-- ones rank by arrival.

-- Returns the score of a user without a value on the leaderboard. Only a higher score has a rank.
local function leastScore(rule)
  return rule.order and rule.order.least or 0
end

-- Adding 0 makes 0 of a negative 0.
local function scoreOf(order, value)
  return order.sign * value + 0
end

-- Returns the value of a score; false for the score of a user without a value.
local function valueOf(order, score)
  return score ~= -math.huge and scoreOf(order, score)
end

-- Returns the rank of a member with this score if equal scores share a rank. Lua joins a number to a text
-- with 14 digits only.
local function sharedRank(key, score)
  return call('ZCOUNT', key, format('(%.17g', score), '+inf') + 1
end

-- Returns the score of the worst member; nil without members.
local function worstScore(key)
  return tonumber(call('ZRANGE', key, '0', '0', 'WITHSCORES')[SCORED.score])
end

-- Whether the ranking takes a new member with this score: it is not full, or its worst score is worse.
local function hasRoom(ranking, score)
  if ranking.size < ranking.keep or ranking.frees then return true end
  ranking.worst = ranking.worst or worstScore(ranking.key)
  -- Without written members, only the moves of this call fill the ranking. limitSize removes the worst ones.
  return not ranking.worst or score > ranking.worst
end

-- Returns the score of the last rank; nil if not all ranks are taken.
local function lastScore(key, max)
  local last = decimal(max - 1)
  return tonumber(call('ZREVRANGE', key, last, last, 'WITHSCORES')[SCORED.score])
end

-- Returns the value of the last rank if all ranks are taken, else 0. Moves that are not written yet do not
-- count.
local function thresholdOf(ranking)
  if ranking.written < ranking.max then return 0 end
  if not ranking.threshold then
    local score, order = lastScore(ranking.key, ranking.max), ranking.rule.order
    ranking.threshold = order and scoreOf(order, score) or score
  end
  return ranking.threshold
end

-- Whether a member with this score belongs to the reserve, whatever the other moves of this call are, or has
-- no rank among all users of the tenant.
local function isReserved(ranking, order, score)
  if ranking.floor and score <= ranking.floor then return true end
  if ranking.frees or ranking.written < ranking.max then return false end
  local threshold = thresholdOf(ranking)
  return score <= (order and scoreOf(order, threshold) or threshold)
end

-- Removes the worst members beyond the limit.
local function limitSize(ranking)
  local most = math.max(ranking.keep, ranking.written)
  if ranking.size > most then
    call('ZREMRANGEBYRANK', ranking.key, '0', decimal(ranking.size - most - 1))
    ranking.size = most
  end
  ranking.written, ranking.worst, ranking.threshold, ranking.frees = ranking.size, false, false, false
end
