--[[
Removes everything that Redis holds of a user, except idempotency keys (src/engine/usedKeys/keepKeys.ts).
While `erasing` holds the id, no new user can have it, so changes of the erased user that are still on their
way to PostgreSQL cannot be mistaken for those of a new one.

KEYS[1]  due users of the cell
KEYS[2]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  the user, msgpack array ERASED_USER: userId, sequence (0 if unknown)
ARGV[3]  the rankings that the user may be in, one flat msgpack array of LEFT_RANKING: key, board, run, group,
         ticket, max, keep (false if users outside of it need not be looked for), stays (whether the user
         leaves a place without a user, because others have been moved to their next tiers by their ranks)

Reply    which of the rankings the user was in, from 1; nil if the user has another sequence number (nothing
         was done): the rankings may be others
]]
--- @include "leftOut"
--- @include "rankingOrder"
--- @include "userState"

local prefix, tenant, asked = KEYS[2], ARGV[1], decode(ARGV[2])
local userId = asked[ERASED_USER.userId]
local user = {}
local isKnown = readUser(user, prefix, userId)
if (isKnown and user.sequence or 0) ~= asked[ERASED_USER.sequence] then return nil end

call('SADD', prefix .. TENANT_KEY.erasing(), userId)
local context, left, rankings = { prefix = prefix, tenant = tenant, dueKey = KEYS[1] }, {}, decode(ARGV[3])

-- Takes the user out of a ranking. Returns whether the user was in it.
local function leave(ranking)
  local key, keep, member = ranking.key, ranking.keep, ranking.ticket .. userId
  local size, score = call('ZCARD', key), call('ZSCORE', key, member)
  if not score then return false end
  local worst = keep and size >= keep and worstScore(key)
  call('ZREM', key, member)
  if ranking.stays then call('ZADD', key, score, ranking.ticket) end
  ranking.rule, ranking.size = { no = ranking.board }, size - 1
  if keep then keepLeftOut(context, ranking, worst) end
  return true
end

for at = 0, #rankings - 1, LEFT_RANKING.size do
  local ranking = {}
  ranking[LEFT_RANKING.all] = unpack(rankings, at + LEFT_RANKING.key, at + LEFT_RANKING.size)
  if leave(ranking) then left[#left + 1] = at / LEFT_RANKING.size + 1 end
end
if isKnown then
  for no, at in pairs(open(user).achievements) do
    if at > 0 then call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), -1) end
  end
end
call('ZREM', prefix .. TENANT_KEY.seen(), userId)
writeDue(KEYS[1], tenant, userId, DUE.never)
call('DEL', user.key, prefix .. TENANT_KEY.history(userId))
return left
