--[[
Reads a page of a ranking with the users' names.

KEYS[1]  the ranking
ARGV[1]  number of the tenant
ARGV[2]  offset, 0 is the top; counted from the member when one is given, and then it may be negative
ARGV[3]  number of places
ARGV[4]  member whose place is offset 0, or empty

Reply    { rank of the first place, { userId, name or "", score, … } }; nil when there is no such ranking
]]
--- @include "shardPrefix"
--- @include "userState"

local start = tonumber(ARGV[2])
if ARGV[4] ~= '' then
  local rank = call('ZREVRANK', KEYS[1], ARGV[4])
  if not rank then return call('EXISTS', KEYS[1]) == 1 and { 0, {} } or nil end
  start = start + rank
end
local count = tonumber(ARGV[3])
if start < 0 then start, count = 0, count + start end
if count <= 0 then return { start + 1, {} } end

local found = call('ZRANGE', KEYS[1], start, start + count - 1, 'REV', 'WITHSCORES')
if #found == 0 and call('EXISTS', KEYS[1]) == 0 then return nil end
local page, user = {}, {}
for i = 1, #found, 2 do
  local shard, userId = tonumber(string.sub(found[i], 13, 15), 16), string.sub(found[i], 16)
  local name = readUser(user, shardPrefix(ARGV[1], shard), userId) and open(user).name or ''
  local n = #page
  page[n + 1], page[n + 2], page[n + 3] = userId, name, found[i + 1]
end
return { start + 1, page }
