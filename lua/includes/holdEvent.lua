--- @include "evaluate"
--- @include "idempotency"

-- Returns the fingerprint that says that the event of a used key is held: the negative of that of the key.
local function heldMark(fingerprint)
  if string.sub(fingerprint, 1, 1) == '-' then return string.sub(fingerprint, 2) end
  return '-' .. fingerprint
end

-- Whether an event was held under a used key. `slice` is what findUse returns.
local function isHeldUse(keys, fingerprint, hasFormerKeys, slice)
  local mark = heldMark(fingerprint)
  if not slice then return findUse(keys, mark, hasFormerKeys) end
  return call('SISMEMBER', bucketOf(slice, positionOf(mark)), mark) == 1
end

-- Reports the event that was held under this used key, if there is one: the key decides, whatever the guards
-- say by now. `used` and `slice` are what findUse returns. Returns whether there is.
local function reportIfHeld(out, keys, fingerprint, hasFormerKeys, used, slice)
  local isHeld = isHeldUse(keys, fingerprint, hasFormerKeys, slice)
  if isHeld then report(out, OUTCOME.held, 0, used) end
  return isHeld
end

-- Reports that a guard holds the event: nothing changes but the key, which names this event from now on.
local function reportHeld(out, keys, guard, fingerprint)
  report(out, OUTCOME.held, guard, 0)
  if not fingerprint then return end
  recordUse(keys, fingerprint)
  recordUse(keys, heldMark(fingerprint))
end
