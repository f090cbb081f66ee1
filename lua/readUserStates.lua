--[[
Reads the state of users of one cell as Redis stores it, each of them at one moment.

KEYS[1]  unused: outbox of the cell
KEYS[2]  unused: prefix of the keys of the cell, never a key itself
ARGV[1]  users, one flat msgpack array of STORED_USER: tenant, userId; the script builds their keys
ARGV[2]  number of the cell

Reply    one string: for each user the lengths of the hot and of the cold part (4 bytes each, big-endian),
         then both parts; lengths of 0 for an unknown user
]]
local users, cell = decode(ARGV[1]), ARGV[2]
local parts = {}
for at = 0, #users - 1, STORED_USER.size do
  local tenant, userId = users[at + STORED_USER.tenant], users[at + STORED_USER.userId]
  local state = call('HMGET', KEY.user(tenant, cell, userId), USER_PART.hot, USER_PART.cold)
  local hot, cold = state[STORED_PARTS.hot] or '', state[STORED_PARTS.cold] or ''
  parts[#parts + 1] = struct.pack('>I4I4', #hot, #cold)
  parts[#parts + 1] = hot
  parts[#parts + 1] = cold
end
return table.concat(parts)
