--[[
Replaces the header of a kept history, and the changes that follow it, by a header that includes them. Later
changes stay, so the user may have changed since the read.

KEYS[1]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  id of the user
ARGV[2]  the header that is replaced
ARGV[3]  header (src/redis/decoding/keptHistory.ts)
ARGV[4]  number of changes that it includes
ARGV[5]  how long the history is kept, seconds

Reply    1; 0 if there is another header or none: then nothing was done
]]
local prefix, userId, replaced, header = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local changes, seconds = ARGV[4], ARGV[5]
local key = prefix .. TENANT_KEY.history(userId)
if call('LINDEX', key, 0) ~= replaced then return 0 end
call('LTRIM', key, changes, -1)
call('LSET', key, 0, header)
call('EXPIRE', key, seconds)
return 1
