-- Without a window, fingerprints are kept for ever in a set of integers (8 bytes each). With a window, they are in a sorted set by time.
-- Fingerprints used before a window was set stay used.
local function isUsed(prefix, userId, metric, fingerprint, windowMs, now)
  if windowMs then
    local used = call('ZSCORE', prefix .. TENANT_KEY.recentFingerprints(userId, metric), fingerprint)
    if used and tonumber(used) > now - windowMs then return true end
  end
  return call('SISMEMBER', prefix .. TENANT_KEY.fingerprints(userId, metric), fingerprint) == 1
end

local function use(prefix, userId, metric, fingerprint, windowMs, now)
  if not windowMs then
    call('SADD', prefix .. TENANT_KEY.fingerprints(userId, metric), fingerprint)
    return
  end
  local key = prefix .. TENANT_KEY.recentFingerprints(userId, metric)
  call('ZREMRANGEBYSCORE', key, '-inf', now - windowMs)
  call('ZADD', key, now, fingerprint)
  call('PEXPIRE', key, windowMs)
end
