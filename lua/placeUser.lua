--[[
Puts a held user (lua/holdUser.lua) under a new id into a cell: the state, the registry of users, statistics
and rankings. The user stays held. A repetition replaces what the first call has put. lua/eraseUser.lua then
removes the former id.

KEYS[1]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  msgpack array PLACED_USER: userId (the new id), formerId, hasFormerKeys, isInCell (the former id is
         in this cell, too)
ARGV[2]  hot part of the user's state
ARGV[3]  cold part
ARGV[4]  rankings of this cell, one flat msgpack array of PLACED_RANK: ranking (key), ticket, score
ARGV[5]  now, seconds since 1970

Reply    the hot part as lua/releaseUser.lua leaves it
]]
--- @include "decimal"
--- @include "releaseHold"
--- @include "userState"

local prefix, asked, ranks = KEYS[1], decode(ARGV[1]), decode(ARGV[4])
local userId, formerId = asked[PLACED_USER.userId], asked[PLACED_USER.formerId]
local user = {}
local isNew = not readUser(user, prefix, userId)
user[USER_HOT.all] = decode(ARGV[2])
user.isOpen = false
open(user, ARGV[3])
user.hasFormerKeys = asked[PLACED_USER.hasFormerKeys]

for at = 0, #ranks - 1, PLACED_RANK.size do
  local ranking, ticket = ranks[at + PLACED_RANK.ranking], ranks[at + PLACED_RANK.ticket]
  call('ZADD', ranking, decimal(ranks[at + PLACED_RANK.score]), ticket .. userId)
  if asked[PLACED_USER.isInCell] then call('ZREM', ranking, ticket .. formerId) end
end
-- Servers that remember a ranking read it again.
call('INCR', prefix .. TENANT_KEY.arrivals())
if isNew then
  for no, at in pairs(user.achievements) do
    if at > 0 then call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), 1) end
  end
end
call('ZADD', prefix .. TENANT_KEY.seen(), user.seen, userId)
call('HSET', user.key, USER_PART.hot, encode(user[USER_HOT.all]), USER_PART.cold, ARGV[3])
releaseHold(user, tonumber(ARGV[5]))
return encode(user[USER_HOT.all])
