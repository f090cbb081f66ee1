--- @include "keyBuckets"
--- @include "keyFilter"
--- @include "keyLedger"

-- The fingerprints of used idempotency keys are in slices of time, whichever users they are of. Slices are
-- removed as a whole (src/engine/usedKeys/keepKeys.ts). What a slice does not say is asked of PostgreSQL:
-- when exactly a key was used that may have run out, and keys used before `coldBefore`.

-- The slice at `at` of the ledger as this call searches it; nil if all its keys have run out.
local function sliceToSearch(keys, at)
  local slices, ranOutAt = keys.ledger[KEY_LEDGER.slices], keys.ranOutAt
  local from, windowMs = slices[at + KEY_SLICE.from], slices[at + KEY_SLICE.windowMs]
  -- A key that was used without a window stays used.
  local runsOut = ranOutAt and windowMs > 0
  if runsOut and slices[at + KEY_SLICE.to] <= ranOutAt then return nil end
  local id, buckets = slices[at + KEY_SLICE.id], slices[at + KEY_SLICE.buckets]
  return {
    at = at,
    prefix = keys.prefix .. TENANT_KEY.keySlice(id),
    buckets = buckets,
    width = widthOf(buckets),
    from = from,
    idAt = windowMs > 0 and from or 0,
    mayHaveRunOut = runsOut and from <= ranOutAt,
  }
end

-- Prepares the search for keys that events of one call name. `uses` holds the answers of PostgreSQL:
-- fingerprint → KEY_USE.
local function openKeys(prefix, rules, now, uses)
  local windowMs = rules.idempotencyWindowMs
  local keys = {
    prefix = prefix, now = now, windowMs = windowMs or 0, sliceMs = rules.idempotencySliceMs,
    ranOutAt = windowMs and now - windowMs, uses = uses, ledger = readKeyLedger(prefix), searched = {},
  }
  local slices = keys.ledger[KEY_LEDGER.slices]
  for at = #slices - KEY_SLICE.size, 0, -KEY_SLICE.size do
    local slice = sliceToSearch(keys, at)
    if slice then
      keys.searched[#keys.searched + 1] = slice
      local isOpen = slices[at + KEY_SLICE.from] <= now and now < slices[at + KEY_SLICE.to]
        and slices[at + KEY_SLICE.windowMs] == keys.windowMs
      if isOpen and not keys.open then keys.open = slice end
    end
  end
  return keys
end

local function bucketOf(slice, position)
  return bucketKey(slice.prefix, bucketAt(position, slice.buckets, slice.width))
end

-- Whether a key that no slice has may have been used so long ago that only PostgreSQL has it.
local function mayBeCold(keys, position)
  local ledger = keys.ledger
  local filter = ledger[KEY_LEDGER.filter]
  return ledger[KEY_LEDGER.coldBefore] > 0
    and (filter == 0 or mayContain(keys.prefix, filter, ledger[KEY_LEDGER.filterLines], position))
end

-- Looks for the last use of a key. Returns the instant in the id of its event (ms, 0 for an id without one),
-- false if the key is free, or nil if PostgreSQL must be asked; and the slice that has the use, if one does.
-- hasFormerKeys: the user may have used the key under a former id, with another fingerprint.
local function findUse(keys, fingerprint, hasFormerKeys)
  local position, use = positionOf(fingerprint), keys.uses[fingerprint]
  for i = 1, #keys.searched do
    local slice = keys.searched[i]
    if call('SISMEMBER', bucketOf(slice, position), fingerprint) == 1 then
      if not slice.mayHaveRunOut then return slice.idAt, slice end
      if not use then return nil end
      -- PostgreSQL does not know this use yet.
      if use[KEY_USE.usedAt] < slice.from then return slice.idAt, slice end
      return use[KEY_USE.usedAt] > keys.ranOutAt and use[KEY_USE.idAt], slice
    end
  end
  if not hasFormerKeys and not mayBeCold(keys, position) then return false end
  if not use then return nil end
  local isOver = keys.ranOutAt and use[KEY_USE.idAt] > 0 and use[KEY_USE.usedAt] <= keys.ranOutAt
  return use[KEY_USE.usedAt] > 0 and not isOver and use[KEY_USE.idAt]
end

-- Begins a slice that is open now.
local function beginSlice(keys)
  local slices = keys.ledger[KEY_LEDGER.slices]
  local at = #slices
  local id, from = keys.ledger[KEY_LEDGER.nextId], keys.now - keys.now % keys.sliceMs
  keys.ledger[KEY_LEDGER.nextId] = id + 1
  slices[at + KEY_SLICE.id] = id
  slices[at + KEY_SLICE.from], slices[at + KEY_SLICE.to] = from, from + keys.sliceMs
  slices[at + KEY_SLICE.windowMs], slices[at + KEY_SLICE.buckets] = keys.windowMs, 1
  writeKeyLedger(keys.prefix, keys.ledger)
  keys.open = sliceToSearch(keys, at)
  table.insert(keys.searched, 1, keys.open)
end

local function growSlice(keys, slice)
  splitBucket(slice.prefix, slice.buckets)
  slice.buckets = slice.buckets + 1
  slice.width = widthOf(slice.buckets)
  keys.ledger[KEY_LEDGER.slices][slice.at + KEY_SLICE.buckets] = slice.buckets
  writeKeyLedger(keys.prefix, keys.ledger)
end

-- Marks a free key as used now.
local function recordUse(keys, fingerprint)
  if not keys.open then beginSlice(keys) end
  local slice = keys.open
  call('SADD', bucketOf(slice, positionOf(fingerprint)), fingerprint)
  -- One key in ten has this last digit. All sets of a slice fill alike; the next one to split is the fullest.
  local isSample = string.byte(fingerprint, -1) == KEY_BUCKET.sampleDigit
  if isSample and call('SCARD', bucketKey(slice.prefix, slice.buckets)) > KEY_BUCKET.max then
    growSlice(keys, slice)
  end
end
