--[[
Reads the state of users as Redis stores it, each of them at one moment.

ARGV[1]  users, one flat msgpack array of STORED_USER: tenant, shard, userId

Reply    one string: for each user the lengths of the hot and of the cold part (4 bytes each, big-endian), then both parts;
         lengths of 0 for an unknown user
]]
local users = unpack(ARGV[1])
local parts = {}
for at = 0, #users - 1, STORED_USER.size do
  local tenant, shard, userId = users[at + STORED_USER.tenant], users[at + STORED_USER.shard], users[at + STORED_USER.userId]
  local key = KEY.user(tenant, shard, userId)
  local state = call('HMGET', key, USER_PART.hot, USER_PART.cold)
  local hot, cold = state[STORED_PARTS.hot] or '', state[STORED_PARTS.cold] or ''
  parts[#parts + 1] = struct.pack('>I4I4', #hot, #cold)
  parts[#parts + 1] = hot
  parts[#parts + 1] = cold
end
return table.concat(parts)
