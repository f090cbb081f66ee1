--- @include "evaluate"
--- @include "idempotency"

-- Returns the fingerprint that says that the event of a key is held: that of the key with the other sign. The
-- key itself stays free until the event is recorded.
local function heldMark(fingerprint)
  if string.sub(fingerprint, 1, 1) == '-' then return string.sub(fingerprint, 2) end
  return '-' .. fingerprint
end

-- Reports the event that is held under this key, if there is one. Returns whether there is; nil if PostgreSQL
-- must be asked.
local function reportIfHeld(out, keys, fingerprint)
  local heldAt = findUse(keys, heldMark(fingerprint))
  if heldAt then report(out, OUTCOME.held, 0, heldAt) end
  return heldAt and true
end

-- Reports that a guard holds the event: nothing changes but the key, which names this event from now on.
local function reportHeld(out, keys, guard, fingerprint)
  report(out, OUTCOME.held, guard, 0)
  if fingerprint then recordUse(keys, heldMark(fingerprint)) end
end
