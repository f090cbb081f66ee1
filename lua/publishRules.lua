--[[
Puts a tenant's configuration in force, unless a newer one already is. From then on every shard refuses changes that were
prepared with an older version. When what settling goes by has become another, the instant is kept: time counts by the new one
from then on, for everybody. The shards in which the tenant has users are marked: the sweep is to look at all of them. That also
holds when nothing was in force, after a restore.

KEYS[1]  the tenant's rules, hash { version, config, time, and when that became another: timeVersion, timeSince }
KEYS[2]  the tenants by the customer's ids
ARGV[1]  number of the tenant
ARGV[2]  version
ARGV[3]  configuration, msgpack
ARGV[4]  number of shards
ARGV[5]  what settling goes by, as a word that differs when it does
ARGV[6]  the customer's id of the tenant, or empty
ARGV[7]  channel on which the servers hear of it
ARGV[8]  now, seconds since 1970

Reply    { timeVersion, timeSince }, or nil when a newer version is in force
]]
--- @include "shardPrefix"

local tenant, version = ARGV[1], tonumber(ARGV[2])
local published = call('HMGET', KEYS[1], 'version', 'time')
if published[1] and tonumber(published[1]) > version then return nil end
call('HSET', KEYS[1], 'version', ARGV[2], 'config', ARGV[3], 'time', ARGV[5])
local isOther, since = published[2] ~= ARGV[5], tonumber(ARGV[8])
for shard = 0, tonumber(ARGV[4]) - 1 do
  local prefix = shardPrefix(tenant, shard)
  call('SET', prefix .. 'version', ARGV[2])
  local latest = isOther and call('ZREVRANGE', prefix .. 'seen', 0, 0, 'WITHSCORES')[2]
  if latest then
    -- Should this clock be behind those that users were evaluated by, time still does not go back for them.
    since = math.max(since, tonumber(latest) * 3600)
    call('SADD', '{' .. shard .. '}:review', tenant .. ':' .. ARGV[2])
  end
end
if isOther then call('HSET', KEYS[1], 'timeVersion', ARGV[2], 'timeSince', since) end
if ARGV[6] ~= '' then call('HSET', KEYS[2], ARGV[6], tenant) end
call('PUBLISH', ARGV[7], tenant)
return call('HMGET', KEYS[1], 'timeVersion', 'timeSince')
