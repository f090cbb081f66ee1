--[[
Puts a tenant's configuration in force, unless a newer one is. From then on changes that were prepared with an
older version are refused. If the time rules differ from those before, they count from this instant on, for
every user. If the tenant has users, it is marked, so that the sweep reviews all of them; also if nothing was
in force, as after a restore.

KEYS[1]  reviews of the cell: tenant and version → progress, empty at first
KEYS[2]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version
ARGV[3]  configuration, msgpack
ARGV[4]  a text that differs whenever the time rules do
ARGV[5]  channel that tells the servers
ARGV[6]  now, seconds since 1970

Reply    { timeVersion, timeSince }, or nil if a newer version is in force
]]
local prefix, tenant, version = KEYS[2], ARGV[1], tonumber(ARGV[2])
-- Hash PUBLISHED: version, config, time, and of the last change of the time rules timeVersion, timeSince.
local key = prefix .. TENANT_KEY.rules()
local published = tonumber(call('HGET', key, PUBLISHED.version) or 0)
if published > version then return nil end
local isOther, since = call('HGET', key, PUBLISHED.time) ~= ARGV[4], tonumber(ARGV[6])
call('HSET', key, PUBLISHED.version, ARGV[2], PUBLISHED.config, ARGV[3], PUBLISHED.time, ARGV[4])
call('SET', prefix .. TENANT_KEY.version(), version)
if isOther then
  local latest = call('ZREVRANGE', prefix .. TENANT_KEY.seen(), 0, 0, 'WITHSCORES')[SCORED.score]
  if latest then
    -- If this clock is behind the one that users were evaluated with, time must not go back for them.
    since = math.max(since, tonumber(latest) * 3600)
    call('HSETNX', KEYS[1], KEY.reviewMember(tenant, version), '')
  end
  call('HSET', key, PUBLISHED.timeVersion, version, PUBLISHED.timeSince, since)
end
call('PUBLISH', ARGV[5], tenant)
return call('HMGET', key, PUBLISHED.timeVersion, PUBLISHED.timeSince)
