--[[
Reads the state of users as it is stored, each of them at one moment.

ARGV[1]  prefix of the tenant's keys, "{T"
ARGV[2]  users, one flat msgpack array of 2 values a user: shard, userId

Reply    one string: of each user the lengths of the hot and of the cold part (4 bytes each, big-endian), then both parts;
         lengths of 0 for a user that there is not
]]
local users = unpack(ARGV[2])
local parts = {}
for i = 1, #users, 2 do
  local state = call('HMGET', ARGV[1] .. ':' .. users[i] .. '}:u:' .. users[i + 1], 'h', 'c')
  local hot, cold = state[1] or '', state[2] or ''
  local n = #parts
  parts[n + 1], parts[n + 2], parts[n + 3] = struct.pack('>I4I4', #hot, #cold), hot, cold
end
return table.concat(parts)
