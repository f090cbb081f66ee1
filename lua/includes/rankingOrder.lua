--- @include "decimal"

-- The order of a ranking, which only this file knows: a higher score is better. Redis sorts members by rising
-- score, so the best member is the last one. Members of equal score are sorted by ticket (TICKET).

-- The commands for the rank of a member and for the members of some ranks, from 0; and 1, or -1 if a lower
-- score were better. Functions in their place would cost each event more.
local rankCommand, rangeCommand, direction = 'ZREVRANK', 'ZREVRANGE', 1

-- Whether the ranking takes a new member with this score: it is not full, or its worst score is worse.
local function hasRoom(ranking, score)
  if ranking.size < ranking.keep or ranking.frees then return true end
  if not ranking.worst then
    ranking.worst = tonumber(call('ZRANGE', ranking.key, '0', '0', 'WITHSCORES')[SCORED.score])
  end
  -- Without written members, only the moves of this call fill the ranking. limitSize removes the worst ones.
  return not ranking.worst or score > ranking.worst
end

-- Returns the score of the last rank if all ranks are taken, else 0. Moves that are not written yet do not
-- count.
local function thresholdOf(ranking)
  if ranking.written < ranking.max then return 0 end
  if not ranking.threshold then
    local last = decimal(ranking.max - 1)
    ranking.threshold = tonumber(call(rangeCommand, ranking.key, last, last, 'WITHSCORES')[SCORED.score])
  end
  return ranking.threshold
end

-- Whether a member with this score belongs to the reserve, whatever the other moves of this call are.
local function isReserved(ranking, score)
  return not ranking.frees and score <= thresholdOf(ranking)
end

-- Removes the worst members beyond the limit. If half of the reserve is used up, the ranking is marked as
-- due: users who are not on it, if there are any, fill it before a rank becomes free.
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
  ranking.written, ranking.worst, ranking.threshold, ranking.frees = ranking.size, false, false, false
end
