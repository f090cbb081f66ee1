--[[
Takes entries out of an outbox that are in PostgreSQL. Only those that the relay still has: what another one has taken over leaves
the outbox when that one has written it, and not while it may still be going to.

KEYS[1]  the outbox
ARGV[1]  consumer group of the relays
ARGV[2]  consumer, the relay
ARGV[3]  ids of the entries, msgpack array

Reply    how many have left
]]
local group, left = ARGV[1], 0
for _, id in ipairs(unpack(ARGV[3])) do
  if #call('XPENDING', KEYS[1], group, id, id, 1, ARGV[2]) > 0 then
    call('XDEL', KEYS[1], id)
    call('XACK', KEYS[1], group, id)
    left = left + 1
  end
end
return left
