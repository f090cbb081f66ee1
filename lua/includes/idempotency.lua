--- @include "decimal"

-- A set of integers (8 bytes each) has every fingerprint that was ever used. Under a window, a sorted set has when each was used, too:
-- once the window has passed, the fingerprint is free for a new event. A fingerprint that was used under no window stays used.

-- Takes a fingerprint if it is free. Returns when it was used, ms; 0 if that was under no window; false if it was free. The second value is
-- true if it was never used before.
local function take(prefix, userId, metric, fingerprint, windowMs, now)
  local key = prefix .. TENANT_KEY.fingerprints(userId, metric)
  local added = redis.pcall('SADD', key, fingerprint)
  if added == 1 then return false, true end
  -- A Redis that takes no writes still finds what was used.
  if added ~= 0 and call('SISMEMBER', key, fingerprint) == 0 then error(added) end
  local used = tonumber(call('ZSCORE', prefix .. TENANT_KEY.timedFingerprints(userId, metric), fingerprint) or 0)
  if windowMs and used > 0 and used <= now - windowMs then return false, false end
  return used, false
end

-- Gives a fingerprint back that was never used before it was taken.
local function giveBack(prefix, userId, metric, fingerprint)
  call('SREM', prefix .. TENANT_KEY.fingerprints(userId, metric), fingerprint)
end

local function noteUse(prefix, userId, metric, fingerprint, now)
  call('ZADD', prefix .. TENANT_KEY.timedFingerprints(userId, metric), decimal(now), fingerprint)
end
