--[[
Removes everything that Redis holds of a user, except idempotency keys (src/engine/usedKeys/forgetKeys.ts).
While `erasing` holds the id, no new user can have it, so changes of the erased user that are still on their
way to PostgreSQL cannot be mistaken for those of a new one.

KEYS[1]  due users of the cell
KEYS[2]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  the user, msgpack array ERASED_USER: userId, sequence (0 if unknown)
ARGV[3]  keys of the rankings that the user may be in, msgpack array
ARGV[4]  for each of them whether the user leaves a place without a user, because others have been moved to
         their next tiers by their ranks; msgpack array

Reply    which of the rankings the user was in, from 1; nil if the user has another sequence number (nothing
         was done): the rankings may be others
]]
--- @include "userState"

local prefix, tenant, asked = KEYS[2], ARGV[1], decode(ARGV[2])
local userId = asked[ERASED_USER.userId]
local user = {}
local isKnown = readUser(user, prefix, userId)
if (isKnown and user.sequence or 0) ~= asked[ERASED_USER.sequence] then return nil end

call('SADD', prefix .. TENANT_KEY.erasing(), userId)
local left, stays = {}, decode(ARGV[4])
for i, ranking in ipairs(decode(ARGV[3])) do
  for _, member in ipairs(call('ZRANGE', ranking, 0, -1)) do
    if string.sub(member, TICKET.size + 1) == userId then
      local score = call('ZSCORE', ranking, member)
      call('ZREM', ranking, member)
      if stays[i] then call('ZADD', ranking, score, string.sub(member, 1, TICKET.size)) end
      left[#left + 1] = i
    end
  end
end
if isKnown then
  for no, at in pairs(open(user).achievements) do
    if at > 0 then call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), -1) end
  end
end
call('ZREM', prefix .. TENANT_KEY.seen(), userId)
writeDue(KEYS[1], tenant, userId, DUE.never)
call('DEL', user.key)
return left
