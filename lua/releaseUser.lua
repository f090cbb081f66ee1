--[[
Ends the hold of a user (lua/holdUser.lua), who is due at once: so whatever the hold has delayed is made up
for. The id is no longer reserved. A repetition changes nothing.

KEYS[1]  due users of the cell
KEYS[2]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  id of the user
ARGV[3]  now, seconds since 1970

Reply    nothing
]]
--- @include "releaseHold"
--- @include "userState"

local prefix, tenant, userId, seconds = KEYS[2], ARGV[1], ARGV[2], tonumber(ARGV[3])
local user = {}
if readUser(user, prefix, userId) and user.due == -DUE.renamed then
  releaseHold(user, seconds)
  writeDue(KEYS[1], tenant, userId, seconds)
  call('HSET', user.key, USER_PART.hot, encode(user[USER_HOT.all]))
end
call('SREM', prefix .. TENANT_KEY.erasing(), userId)
