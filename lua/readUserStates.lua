--[[
Reads the state of users as it is stored, each of them at one moment.

ARGV[1]  users, one flat msgpack array of 3 values a user: tenant, shard, userId

Reply    one string: of each user the lengths of the hot and of the cold part (4 bytes each, big-endian), then both parts;
         lengths of 0 for a user that there is not
]]
--- @include "shardPrefix"

local users = unpack(ARGV[1])
local parts = {}
for i = 1, #users, 3 do
  local state = call('HMGET', shardPrefix(users[i], users[i + 1]) .. 'u:' .. users[i + 2], 'h', 'c')
  local hot, cold = state[1] or '', state[2] or ''
  local n = #parts
  parts[n + 1], parts[n + 2], parts[n + 3] = struct.pack('>I4I4', #hot, #cold), hot, cold
end
return table.concat(parts)
