--[[
Reads users of one cell as Redis stores them, each with the version of the rules in force, at one moment.

KEYS[1]  unused: outbox of the cell
KEYS[2]  unused: prefix of the keys of the cell, never a key itself
ARGV[1]  users, one flat msgpack array of READ_USER: tenant, userId, withHistory; the script builds their keys
ARGV[2]  number of the cell

Reply    one string, big-endian, for each user: version of the rules (8 bytes, a double, infinite without
         rules); lengths of the hot and of the cold part, 0 for an unknown user, and number of items of the
         kept history, 0 if it was not asked for (4 bytes each); both parts; length (4 bytes) and bytes of
         each item
]]
local users, cell = decode(ARGV[1]), ARGV[2]
local versions, parts = {}, {}
for at = 0, #users - 1, READ_USER.size do
  local tenant, userId = users[at + READ_USER.tenant], users[at + READ_USER.userId]
  local version = versions[tenant] or tonumber(call('GET', KEY.version(tenant, cell)) or math.huge)
  versions[tenant] = version
  local state = call('HMGET', KEY.user(tenant, cell, userId), USER_PART.hot, USER_PART.cold)
  local hot, cold = state[STORED_PARTS.hot] or '', state[STORED_PARTS.cold] or ''
  local withHistory = users[at + READ_USER.withHistory]
  local history = withHistory and call('LRANGE', KEY.history(tenant, cell, userId), 0, -1) or {}
  parts[#parts + 1] = struct.pack('>dI4I4I4', version, #hot, #cold, #history)
  parts[#parts + 1] = hot
  parts[#parts + 1] = cold
  for i = 1, #history do
    parts[#parts + 1] = struct.pack('>I4', #history[i])
    parts[#parts + 1] = history[i]
  end
end
return table.concat(parts)
