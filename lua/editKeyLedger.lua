--[[
Edits the ledger of a tenant's used idempotency keys (lua/includes/keyLedger.lua).

KEYS[1]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  the edit, msgpack array LEDGER_EDIT: reserve (whether a number is reserved), slices (ids of slices to
         retire: they are searched no more), retire (list of RETIRED_KEYS), forget (list of prefixes of
         retired keys that are gone or in use), fingerprints (removed from all slices, as if the keys had not
         been used), coldBefore|false; with coldBefore: filter, filterLines, filterTimed, and what they
         replace: replacedBefore, replacedFilter

Reply    the reserved number, or 0; nil, without an effect, if another worker has replaced the filter since,
         or removed the new one as a leftover
]]
--- @include "keyBuckets"
--- @include "keyLedger"

local prefix, edit = KEYS[1], decode(ARGV[1])
local ledger, reserved = readKeyLedger(prefix), 0
if edit[LEDGER_EDIT.reserve] then
  reserved = ledger[KEY_LEDGER.nextId]
  ledger[KEY_LEDGER.nextId] = reserved + 1
end

local function setOf(list)
  local set = {}
  for _, value in ipairs(list) do set[value] = true end
  return set
end

-- Calls `visit` with each record of a list, and returns a list of those for which it returns true.
local function keep(records, size, visit)
  local kept = {}
  for at = 0, #records - 1, size do
    if visit(at) then
      for i = 1, size do kept[#kept + 1] = records[at + i] end
    end
  end
  return kept
end

local isForgotten, isRetired = setOf(edit[LEDGER_EDIT.forget]), setOf(edit[LEDGER_EDIT.slices])
local before, slices = ledger[KEY_LEDGER.retired], ledger[KEY_LEDGER.slices]
local retired = keep(before, RETIRED_KEYS.size, function(at)
  return not isForgotten[before[at + RETIRED_KEYS.prefix]]
end)
if edit[LEDGER_EDIT.coldBefore] then
  local isReplaced = ledger[KEY_LEDGER.coldBefore] ~= edit[LEDGER_EDIT.replacedBefore]
    or ledger[KEY_LEDGER.filter] ~= edit[LEDGER_EDIT.replacedFilter]
  if isReplaced or (edit[LEDGER_EDIT.filter] > 0 and #retired == #before) then return false end
end
for _, value in ipairs(edit[LEDGER_EDIT.retire]) do retired[#retired + 1] = value end

ledger[KEY_LEDGER.slices] = keep(slices, KEY_SLICE.size, function(at)
  local id, buckets = slices[at + KEY_SLICE.id], slices[at + KEY_SLICE.buckets]
  local ofSlice = TENANT_KEY.keySlice(id)
  if isRetired[id] then
    local n = #retired
    retired[n + RETIRED_KEYS.prefix], retired[n + RETIRED_KEYS.first] = ofSlice, buckets
    retired[n + RETIRED_KEYS.count] = buckets
    return false
  end
  for _, fingerprint in ipairs(edit[LEDGER_EDIT.fingerprints]) do
    local number = bucketAt(positionOf(fingerprint), buckets, widthOf(buckets))
    call('SREM', bucketKey(prefix .. ofSlice, number), fingerprint)
  end
  return true
end)
ledger[KEY_LEDGER.retired] = retired
if edit[LEDGER_EDIT.coldBefore] then
  ledger[KEY_LEDGER.coldBefore] = edit[LEDGER_EDIT.coldBefore]
  ledger[KEY_LEDGER.filter] = edit[LEDGER_EDIT.filter]
  ledger[KEY_LEDGER.filterLines] = edit[LEDGER_EDIT.filterLines]
  ledger[KEY_LEDGER.filterTimed] = edit[LEDGER_EDIT.filterTimed]
end
writeKeyLedger(prefix, ledger)
return reserved
