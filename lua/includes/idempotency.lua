--- @include "decimal"

-- The fingerprints of all idempotency keys that were ever used are in a set of integers (8 bytes each). Under
-- a window, a sorted set has the instant of each use, too: once the window has passed, the key is free for a
-- new event. A key that was used without a window stays used.

-- Claims an idempotency key if it is free. Returns the instant of its use in ms, 0 if it was used without a
-- window, false if it was free; and whether it was never used before.
local function claimKey(prefix, userId, metric, fingerprint, windowMs, now)
  local key = prefix .. TENANT_KEY.fingerprints(userId, metric)
  local added = redis.pcall('SADD', key, fingerprint)
  if added == 1 then return false, true end
  -- SADD fails in a Redis that takes no writes; a replay is still found.
  if added ~= 0 and call('SISMEMBER', key, fingerprint) == 0 then error(added) end
  local timed = prefix .. TENANT_KEY.timedFingerprints(userId, metric)
  local used = tonumber(call('ZSCORE', timed, fingerprint) or 0)
  if windowMs and used > 0 and used <= now - windowMs then return false, false end
  return used, false
end

-- Releases a key that was never used before it was claimed.
local function releaseKey(prefix, userId, metric, fingerprint)
  call('SREM', prefix .. TENANT_KEY.fingerprints(userId, metric), fingerprint)
end

local function recordKeyUse(prefix, userId, metric, fingerprint, now)
  call('ZADD', prefix .. TENANT_KEY.timedFingerprints(userId, metric), decimal(now), fingerprint)
end
