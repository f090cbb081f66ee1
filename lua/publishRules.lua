--[[
Puts a tenant's configuration in force, unless a newer one already is. From then on every shard refuses changes that were
prepared with an older version. When what settling goes by has become another, the shards in which the tenant has users are
marked: the sweep is to look at all of them. That also holds when nothing was in force, after a restore.

KEYS[1]  the tenant's rules, hash { version, time, config }
KEYS[2]  the tenants by the customer's ids
ARGV[1]  number of the tenant
ARGV[2]  version
ARGV[3]  configuration, msgpack
ARGV[4]  number of shards
ARGV[5]  what settling goes by, as a word that differs when it does
ARGV[6]  the customer's id of the tenant, or empty
ARGV[7]  channel on which the servers hear of it

Reply    1, or 0 when a newer version is in force
]]
--- @include "shardPrefix"

local tenant, version = ARGV[1], tonumber(ARGV[2])
local published = call('HMGET', KEYS[1], 'version', 'time')
if published[1] and tonumber(published[1]) > version then return 0 end
call('HSET', KEYS[1], 'version', ARGV[2], 'config', ARGV[3], 'time', ARGV[5])
for shard = 0, tonumber(ARGV[4]) - 1 do
  local prefix = shardPrefix(tenant, shard)
  call('SET', prefix .. 'version', ARGV[2])
  if published[2] ~= ARGV[5] and call('EXISTS', prefix .. 'seen') == 1 then
    call('SADD', '{' .. shard .. '}:review', tenant .. ':' .. ARGV[2])
  end
end
if ARGV[6] ~= '' then call('HSET', KEYS[2], ARGV[6], tenant) end
call('PUBLISH', ARGV[7], tenant)
return 1
