-- Fingerprints kept for ever are a set of integers (8 bytes a key); those of a tenant with a window are a zset by time.
-- Keys that were used before a window was set stay used.
local function isUsed(prefix, userId, metric, fingerprint, windowMs, now)
  local id = userId .. ':' .. metric
  if windowMs then
    local used = call('ZSCORE', prefix .. 'w:' .. id, fingerprint)
    if used and tonumber(used) > now - windowMs then return true end
  end
  return call('SISMEMBER', prefix .. 'i:' .. id, fingerprint) == 1
end

local function use(prefix, userId, metric, fingerprint, windowMs, now)
  local id = userId .. ':' .. metric
  if not windowMs then
    call('SADD', prefix .. 'i:' .. id, fingerprint)
    return
  end
  local key = prefix .. 'w:' .. id
  call('ZREMRANGEBYSCORE', key, '-inf', now - windowMs)
  call('ZADD', key, now, fingerprint)
  call('PEXPIRE', key, windowMs)
end
