--[[
Takes over entries of an outbox that no relay works on: those that a relay has held for too long, and those
that a relay of another version has left because it does not know their format. The caller reads them as its
own pending entries.

KEYS[1]  the outbox
ARGV[1]  consumer group of the relays
ARGV[2]  consumer: the relay
ARGV[3]  time in ms after which a relay has held an entry for too long
ARGV[4]  most entries that are taken from one consumer
ARGV[5]  prefix of the consumers that hold entries of a format
ARGV[6]  consumers of the formats that the relay knows, msgpack array

Reply    number of entries taken over
]]
local group, relay, idle, count, prefix, taken = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], 0
local known = {}
for _, consumer in ipairs(decode(ARGV[6])) do known[consumer] = true end

local holders = call('XPENDING', KEYS[1], group)[PENDING.consumers] or {}
for _, holder in ipairs(holders) do
  local consumer, pending = holder[HOLDER.consumer], tonumber(holder[HOLDER.count])
  local isOfFormat = consumer:sub(1, #prefix) == prefix
  if known[consumer] or (not isOfFormat and consumer ~= relay) then
    local idleMin = isOfFormat and 0 or idle
    local entries = call('XPENDING', KEYS[1], group, 'IDLE', idleMin, '-', '+', count, consumer)
    for _, entry in ipairs(entries) do
      call('XCLAIM', KEYS[1], group, relay, 0, entry[PENDING_ENTRY.id], 'JUSTID')
    end
    if isOfFormat and #entries == pending then call('XGROUP', 'DELCONSUMER', KEYS[1], group, consumer) end
    taken = taken + #entries
  end
end
return taken
