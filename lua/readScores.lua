--[[
Reads the best scores of a ranking, if it may have changed.

KEYS[1]  the ranking
KEYS[2]  the tenant's counter of arrivals
ARGV[1]  mark of the last reply, or empty
ARGV[2]  number of scores

Reply    { mark, scores }: the scores fall, each is a double of 8 bytes, little-endian; nil if the mark is
         the same. Every user who enters the ranking or moves in it raises the counter, and a user who leaves
         makes the ranking smaller
]]
local mark = (call('GET', KEYS[2]) or '0') .. ' ' .. call('ZCARD', KEYS[1])
if mark == ARGV[1] then return nil end
local found = call('ZREVRANGE', KEYS[1], 0, ARGV[2] - 1, 'WITHSCORES')
local scores = {}
for at = 0, #found - 1, SCORED.size do
  scores[#scores + 1] = struct.pack('<d', tonumber(found[at + SCORED.score]))
end
return { mark, table.concat(scores) }
