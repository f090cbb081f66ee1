--[[
Reads a page of a ranking with the users' names.

KEYS[1]  the ranking
KEYS[2]  prefix of the tenant's keys, never a key itself; the script builds the keys of users from it
ARGV[1]  offset: 0 is the top; if a member is given, it counts from that member and may be negative
ARGV[2]  number of ranks
ARGV[3]  member whose entry is offset 0, or empty
ARGV[4]  number of places of the leaderboard; members after them are the reserve
ARGV[5]  empty unless equal scores share a rank

Reply    { place of the first entry, its rank, flat list of RANKED: userId, name or '', score }; nil if the
         ranking does not exist
]]
--- @include "rankingOrder"
--- @include "userState"

local first, count, member, max = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
if member ~= '' then
  local rank = call('ZREVRANK', KEYS[1], member)
  if not rank or rank >= max then return call('EXISTS', KEYS[1]) == 1 and { 0, 0, {} } or nil end
  first = first + rank
end
if first < 0 then first, count = 0, count + first end
count = math.min(count, max - first)
if count <= 0 then return { first + 1, first + 1, {} } end

local found = call('ZREVRANGE', KEYS[1], first, first + count - 1, 'WITHSCORES')
if #found == 0 and call('EXISTS', KEYS[1]) == 0 then return nil end
local page, user = {}, {}
for at = 0, #found - 1, SCORED.size do
  local ranked = found[at + SCORED.member]
  local userId, n = string.sub(ranked, TICKET.size + 1), #page
  local name = readUser(user, KEYS[2], userId) and open(user).name or ''
  page[n + RANKED.userId], page[n + RANKED.name] = userId, name
  page[n + RANKED.score] = found[at + SCORED.score]
end
local firstScore = found[SCORED.score]
local isShared = ARGV[5] ~= '' and firstScore
return { first + 1, isShared and sharedRank(KEYS[1], firstScore) or first + 1, page }
