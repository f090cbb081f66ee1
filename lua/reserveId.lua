--[[
Reserves an id for a user who is to get it: no new user can have it until lua/releaseUser.lua. A repetition
changes nothing, also if the user has got the id since.

KEYS[1]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  the id

Reply    1; 0 if another user has the id (nothing was done)
]]
local prefix, userId = KEYS[1], ARGV[1]
local reserved = prefix .. TENANT_KEY.erasing()
if call('SISMEMBER', reserved, userId) == 1 then return 1 end
if call('EXISTS', prefix .. TENANT_KEY.user(userId)) == 1 then return 0 end
return call('SADD', reserved, userId)
