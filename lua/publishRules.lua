--[[
Puts a tenant's configuration in force, unless a newer one already is. From then on every shard refuses changes that were
prepared with an older version.

KEYS[1]  the tenant's rules, hash { version, config }
ARGV[1]  prefix of the tenant's keys, "{T"
ARGV[2]  version
ARGV[3]  configuration, msgpack
ARGV[4]  number of shards

Reply    1, or 0 when a newer version is in force
]]
local version = tonumber(ARGV[2])
local published = call('HGET', KEYS[1], 'version')
if published and tonumber(published) > version then return 0 end
call('HSET', KEYS[1], 'version', ARGV[2], 'config', ARGV[3])
for shard = 0, tonumber(ARGV[4]) - 1 do
  call('SET', ARGV[1] .. ':' .. shard .. '}:version', ARGV[2])
end
return 1
