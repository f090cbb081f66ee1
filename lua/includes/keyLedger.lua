-- The ledger of a tenant's used idempotency keys, a list KEY_LEDGER:
--   nextId       number of the next slice or filter
--   coldBefore   ms; keys used before may be in PostgreSQL only. 0: Redis has all of them
--   filter       number of the filter of the keys that are in PostgreSQL only; 0: there is none
--   filterLines  lines of the filter
--   filterTimed  whether the filter has keys that were used under a window
--   slices       list of KEY_SLICE, in the order of their numbers: id, from and to (ms), windowMs in force
--                when it began (0: none), number of buckets (lua/includes/keyBuckets.lua)
--   retired      list of RETIRED_KEYS that nobody reads any more: prefix of numbered Redis keys, first
--                number, count
local function readKeyLedger(prefix)
  local packed = call('GET', prefix .. TENANT_KEY.keyLedger())
  if packed then return decode(packed) end
  return {
    [KEY_LEDGER.nextId] = 1,
    [KEY_LEDGER.coldBefore] = 0,
    [KEY_LEDGER.filter] = 0,
    [KEY_LEDGER.filterLines] = 0,
    [KEY_LEDGER.filterTimed] = false,
    [KEY_LEDGER.slices] = {},
    [KEY_LEDGER.retired] = {},
  }
end

local function writeKeyLedger(prefix, ledger)
  call('SET', prefix .. TENANT_KEY.keyLedger(), encode(ledger))
end
