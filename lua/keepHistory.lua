--[[
Keeps the history of a user who is read, as the server has read it, unless the user has changed since.

KEYS[1]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  the user, msgpack array KEPT_USER: userId, sequence, erasures (in the cell before the history was
         read), seconds (how long the history is kept)
ARGV[2]  the header that is replaced; empty without one
ARGV[3]  header (src/redis/decoding/keptHistory.ts)

Reply    KEEPING.kept; KEEPING.changed if the user has another sequence number, or KEEPING.replaced if there
         is another header: then nothing was done
]]
--- @include "hasErased"
--- @include "userState"

local prefix, asked, replaced = KEYS[1], decode(ARGV[1]), ARGV[2]
local userId, erasures = asked[KEPT_USER.userId], asked[KEPT_USER.erasures]
local user, key = {}, prefix .. TENANT_KEY.history(userId)
if hasErased(prefix, userId, erasures) then return KEEPING.changed end
if not readUser(user, prefix, userId) or user.sequence ~= asked[KEPT_USER.sequence] then
  return KEEPING.changed
end
if (call('LINDEX', key, 0) or '') ~= replaced then return KEEPING.replaced end
if not user.keepsHistory then
  user.keepsHistory = true
  call('HSET', user.key, USER_PART.hot, encode(user[USER_HOT.all]))
end
call('DEL', key)
call('RPUSH', key, ARGV[3])
call('EXPIRE', key, asked[KEPT_USER.seconds])
return KEEPING.kept
