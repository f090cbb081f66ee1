--[[
Returns the ids of the first and the last entry of an outbox, without the content of its entries. Can ask
relays to write at once what they would otherwise collect for a moment.

KEYS[1]  the outbox

ARGV[1]  pub/sub channel that relays listen to; empty: they are not asked

Reply    { id of the first entry, id of the last entry }; { } if the outbox is empty
]]
if ARGV[1] ~= '' then call('PUBLISH', ARGV[1], '') end
local ids = {}
for _, entry in ipairs(call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)) do
  ids[#ids + 1] = entry[STREAM_ENTRY.id]
end
for _, entry in ipairs(call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)) do
  ids[#ids + 1] = entry[STREAM_ENTRY.id]
end
return ids
