--[[
Removes everything that Redis holds of a user. Until `erasing` forgets the id, nobody new can have it: what is still on its way
to PostgreSQL can then be told from what a new user does.

ARGV[1]  number of the tenant
ARGV[2]  the user, msgpack { shard, userId, sequence number (0 for nobody), highest number of a metric }
ARGV[3]  keys of the rankings that the user may be in, msgpack array

Reply    1, or 0 when the user has another sequence number (nothing was done): the rankings may be others
]]
--- @include "shardPrefix"
--- @include "userState"

local given = unpack(ARGV[2])
local userId, metrics = given[2], given[4]
local tenant, shard = ARGV[1], given[1]
local prefix = shardPrefix(tenant, shard)
local user = {}
local isKnown = readUser(user, prefix, userId)
if (isKnown and user.sequence or 0) ~= given[3] then return 0 end

call('SADD', prefix .. 'erasing', userId)
for _, ranking in ipairs(unpack(ARGV[3])) do
  for _, member in ipairs(call('ZRANGE', ranking, 0, -1)) do
    if string.sub(member, 16) == userId then call('ZREM', ranking, member) end
  end
end
if isKnown then
  for no in pairs(open(user).achievements) do call('HINCRBY', prefix .. 'stats', 'completed:' .. no, -1) end
end
for metric = 1, metrics do call('UNLINK', prefix .. 'i:' .. userId .. ':' .. metric, prefix .. 'w:' .. userId .. ':' .. metric) end
call('ZREM', prefix .. 'seen', userId)
writeDue(tenant, shard, userId, NEVER)
call('DEL', user.key)
return 1
