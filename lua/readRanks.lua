--[[
Reads the ranks of members of any rankings of one cell.

KEYS[1]  unused: outbox of the cell
KEYS[2]  unused: prefix of the keys of the cell, never a key itself
ARGV[1]  members, one flat msgpack array of ASKED_RANK: tenant, board, run, group, member, max (number of
         places; members after them are the reserve), isShared (equal scores share a rank); the script builds
         the keys
ARGV[2]  number of the cell

Reply    msgpack array of FOUND_RANK, one for each: exists (the ranking), rank|false, score|false
]]
--- @include "rankingOrder"

local asked, cell = decode(ARGV[1]), ARGV[2]
local found = {}
for at = 0, #asked - 1, ASKED_RANK.size do
  local tenant, board = asked[at + ASKED_RANK.tenant], asked[at + ASKED_RANK.board]
  local run, group = asked[at + ASKED_RANK.run], asked[at + ASKED_RANK.group]
  local key, member, n = KEY.board(tenant, cell, board, run, group), asked[at + ASKED_RANK.member], #found
  local rank = call('ZREVRANK', key, member)
  local score = rank and rank < asked[at + ASKED_RANK.max] and tonumber(call('ZSCORE', key, member))
  found[n + FOUND_RANK.exists] = rank ~= false or call('EXISTS', key) == 1
  local isShared = asked[at + ASKED_RANK.isShared]
  found[n + FOUND_RANK.rank] = score and (isShared and sharedRank(key, score) or rank + 1)
  found[n + FOUND_RANK.score] = score
end
return encode(found)
