--[[
Tells from where to where an outbox reaches, without the content of its entries.

KEYS[1]  the outbox

Reply    { id of the first entry, id of the last }; { } when there is none
]]
local first = call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if not first then return {} end
return { first[1], call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1][1] }
