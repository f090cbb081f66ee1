--[[
Edits the ledger of a tenant's used idempotency keys (lua/includes/keyLedger.lua).

KEYS[1]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  the edit, msgpack array LEDGER_EDIT: reserve (whether a number is reserved), retire (list of
         RETIRED_KEYS; slices with such a prefix are searched no more), forget (list of prefixes of retired
         keys that are gone or in use), coldBefore|false; with coldBefore: filter, filterLines, filterTimed

Reply    the reserved number, or 0
]]
--- @include "keyLedger"

local prefix, edit = KEYS[1], decode(ARGV[1])
local ledger, reserved = readKeyLedger(prefix), 0
if edit[LEDGER_EDIT.reserve] then
  reserved = ledger[KEY_LEDGER.nextId]
  ledger[KEY_LEDGER.nextId] = reserved + 1
end

-- The records of a list, except those whose value `name`, as a prefix of keys, is excluded.
local function without(excluded, records, size, name, prefixOf)
  local kept = {}
  for at = 0, #records - 1, size do
    if not excluded[prefixOf(records[at + name])] then
      for i = 1, size do kept[#kept + 1] = records[at + i] end
    end
  end
  return kept
end

local isForgotten, isRetired = {}, {}
for _, name in ipairs(edit[LEDGER_EDIT.forget]) do isForgotten[name] = true end
local function asIs(name) return name end
local retired = without(isForgotten, ledger[KEY_LEDGER.retired], RETIRED_KEYS.size,
  RETIRED_KEYS.prefix, asIs)
for i, value in ipairs(edit[LEDGER_EDIT.retire]) do
  retired[#retired + 1] = value
  if i % RETIRED_KEYS.size == RETIRED_KEYS.prefix then isRetired[value] = true end
end
ledger[KEY_LEDGER.retired] = retired
ledger[KEY_LEDGER.slices] = without(isRetired, ledger[KEY_LEDGER.slices], KEY_SLICE.size, KEY_SLICE.id,
  function(id) return TENANT_KEY.keySlice(id) end)
if edit[LEDGER_EDIT.coldBefore] then
  ledger[KEY_LEDGER.coldBefore] = edit[LEDGER_EDIT.coldBefore]
  ledger[KEY_LEDGER.filter] = edit[LEDGER_EDIT.filter]
  ledger[KEY_LEDGER.filterLines] = edit[LEDGER_EDIT.filterLines]
  ledger[KEY_LEDGER.filterTimed] = edit[LEDGER_EDIT.filterTimed]
end
writeKeyLedger(prefix, ledger)
return reserved
