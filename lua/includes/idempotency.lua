-- A set of integers (8 bytes each) has every fingerprint that was ever used. Under a window, a sorted set has when each was used, too:
-- once the window has passed, the fingerprint is free for a new event. A fingerprint that was used under no window stays used.

-- When the fingerprint was used, ms; 0 if that was under no window. False if it is free.
local function usedAt(prefix, userId, metric, fingerprint, windowMs, now)
  if call('SISMEMBER', prefix .. TENANT_KEY.fingerprints(userId, metric), fingerprint) == 0 then return false end
  local used = tonumber(call('ZSCORE', prefix .. TENANT_KEY.timedFingerprints(userId, metric), fingerprint) or 0)
  if windowMs and used > 0 and used <= now - windowMs then return false end
  return used
end

local function use(prefix, userId, metric, fingerprint, windowMs, now)
  call('SADD', prefix .. TENANT_KEY.fingerprints(userId, metric), fingerprint)
  if windowMs then call('ZADD', prefix .. TENANT_KEY.timedFingerprints(userId, metric), decimal(now), fingerprint) end
end
