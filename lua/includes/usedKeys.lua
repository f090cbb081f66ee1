--- @include "holdEvent"
--- @include "idempotency"

-- Looks for the keys of the events of a metrics event, which were used together or not at all.
-- Returns the instants in the ids of the events, none if the keys are free; or nil if PostgreSQL must be
-- asked. And the number of an event whose key names another event, held or of other metrics, if one does.
local function findUses(keys, fingerprints, hasFormerKeys)
  local uses, lastUsed, heldNo = {}, nil, nil
  for i, fingerprint in ipairs(fingerprints) do
    local used, slice = findUse(keys, fingerprint, hasFormerKeys)
    if used == nil then return nil end
    if used then
      uses[#uses + 1], lastUsed = used, i
      if isHeldUse(keys, fingerprint, hasFormerKeys, slice) then heldNo = i end
    end
  end
  return uses, heldNo or #uses < #fingerprints and lastUsed
end
