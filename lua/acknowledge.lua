--[[
Removes entries from an outbox that are in PostgreSQL, as long as this relay still owns them, and records the
receipt of their transaction (src/engine/recovery/compareReceipts.ts). An entry that another relay has taken
over leaves the outbox when that relay has written it.

KEYS[1]  the outbox
KEYS[2]  the receipts of the cell
ARGV[1]  consumer group of the relays
ARGV[2]  consumer: the relay
ARGV[3]  ids of the entries, msgpack array
ARGV[4]  number of the receipt
ARGV[5]  token of the receipt; empty for none
ARGV[6]  number of receipts that are kept

Reply    number of entries removed
]]
local group, consumer, removed = ARGV[1], ARGV[2], 0
local no, token, kept = ARGV[4], ARGV[5], tonumber(ARGV[6])
for _, id in ipairs(decode(ARGV[3])) do
  if #call('XPENDING', KEYS[1], group, id, id, 1, consumer) > 0 then
    call('XDEL', KEYS[1], id)
    call('XACK', KEYS[1], group, id)
    removed = removed + 1
  end
end
-- A full Redis accepts this write only from a script that has freed memory.
if removed > 0 and token ~= '' then
  call('ZADD', KEYS[2], no, token)
  call('ZREMRANGEBYRANK', KEYS[2], 0, -kept - 1)
end
return removed
