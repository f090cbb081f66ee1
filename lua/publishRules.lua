--[[
Puts a tenant's configuration in force, unless a newer one is. From then on every shard refuses changes that were prepared with an older
version. If the time rules are others than before, the instant is kept: the new ones count from then on, for every user. The shards in
which the tenant has users are marked, so that the sweep reviews all of them. That also holds if nothing was in force, after a restore.

KEYS[1]  the tenant's rules, hash PUBLISHED: version, config, time, and of the last change of the time rules timeVersion, timeSince
KEYS[2]  tenants by the customer's ids
ARGV[1]  number of the tenant
ARGV[2]  version
ARGV[3]  configuration, msgpack
ARGV[4]  number of shards
ARGV[5]  a text that differs whenever the time rules do
ARGV[6]  the customer's id of the tenant, or empty
ARGV[7]  channel that tells the servers
ARGV[8]  now, seconds since 1970

Reply    { timeVersion, timeSince }, or nil if a newer version is in force
]]
local tenant, version = ARGV[1], tonumber(ARGV[2])
local published = tonumber(call('HGET', KEYS[1], PUBLISHED.version) or 0)
if published > version then return nil end
local isOther, since = call('HGET', KEYS[1], PUBLISHED.time) ~= ARGV[5], tonumber(ARGV[8])
call('HSET', KEYS[1], PUBLISHED.version, ARGV[2], PUBLISHED.config, ARGV[3], PUBLISHED.time, ARGV[5])
for shard = 0, tonumber(ARGV[4]) - 1 do
  call('SET', KEY.version(tenant, shard), version)
  local latest = isOther and call('ZREVRANGE', KEY.seen(tenant, shard), 0, 0, 'WITHSCORES')[SCORED.score]
  if latest then
    -- If this clock is behind the one that users were evaluated with, time must not go back for them.
    since = math.max(since, tonumber(latest) * 3600)
    call('SADD', KEY.review(shard), KEY.reviewMember(tenant, version))
  end
end
if isOther then call('HSET', KEYS[1], PUBLISHED.timeVersion, version, PUBLISHED.timeSince, since) end
if ARGV[6] ~= '' then call('HSET', KEYS[2], ARGV[6], tenant) end
call('PUBLISH', ARGV[7], tenant)
return call('HMGET', KEYS[1], PUBLISHED.timeVersion, PUBLISHED.timeSince)
