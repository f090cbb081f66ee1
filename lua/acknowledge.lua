--[[
Removes entries from an outbox that are in PostgreSQL, as long as this relay still owns them. An entry that another relay has taken over
leaves the outbox when that relay has written it.

KEYS[1]  the outbox
ARGV[1]  consumer group of the relays
ARGV[2]  consumer: the relay
ARGV[3]  ids of the entries, msgpack array

Reply    number of entries removed
]]
local group, consumer, removed = ARGV[1], ARGV[2], 0
for _, id in ipairs(unpack(ARGV[3])) do
  if #call('XPENDING', KEYS[1], group, id, id, 1, consumer) > 0 then
    call('XDEL', KEYS[1], id)
    call('XACK', KEYS[1], group, id)
    removed = removed + 1
  end
end
return removed
