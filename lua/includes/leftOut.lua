--- @include "decimal"
--- @include "rankingOrder"

-- A full ranking knows nothing of the users outside, except that none of them is better than its worst
-- member. Once members fall or leave, that is no longer so. Then a hash keeps the best score that a user
-- outside may have. Members that are as good are where a sort of all users would put them.

-- Keeps the best score outside after members have fallen or left. `worst`: the worst score before, false if
-- the ranking was not full. If half of the reserve may be worse than users outside, the leaderboard is marked
-- as due: all users fill it.
local function keepLeftOut(context, ranking, worst)
  local no, run, group = decimal(ranking.rule.no), decimal(ranking.run), ranking.group
  local key, field = context.prefix .. TENANT_KEY.leftOut(no), TENANT_KEY.ranking(run, group)
  local known = tonumber(call('HGET', key, field) or nil)
  local best = worst and known and math.max(worst, known) or worst or known
  if not best then return end
  if ranking.size >= ranking.keep and worstScore(ranking.key) >= best then
    if known then call('HDEL', key, field) end
    return
  end
  if best ~= known then call('HSET', key, field, format('%.17g', best)) end
  if 2 * call('ZCOUNT', ranking.key, format('%.17g', best), '+inf') <= ranking.max + ranking.keep then
    call('SADD', KEY.dueBoards(context.dueKey), KEY.dueBoardMember(context.tenant, no))
  end
end
