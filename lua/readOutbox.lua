--[[
Returns the ids of the first and the last entry of an outbox, without the content of its entries.

KEYS[1]  the outbox

Reply    { id of the first entry, id of the last entry }; { } if the outbox is empty
]]
local ids = {}
for _, entry in ipairs(call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)) do ids[#ids + 1] = entry[STREAM_ENTRY.id] end
for _, entry in ipairs(call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)) do ids[#ids + 1] = entry[STREAM_ENTRY.id] end
return ids
