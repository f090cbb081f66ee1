--[[
Begins the run of a league after one that has ended, and moves users to their tiers in it. A user who is in
that run, or in a later one, is left alone, so the script may be called any number of times.

KEYS[1]  outbox of the cell
KEYS[2]  unused: due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules
ARGV[3]  now, ms
ARGV[4]  users, one flat msgpack array of LEAGUE_USER: userId
ARGV[5]  run into which they move, msgpack array LEAGUE_RUN: firstDay, number, isOver (the
         league has ended, and nothing counts in the run)
ARGV[6]  unused: calendars
ARGV[7]  rule of the leaderboard, msgpack (ScriptBoard)
ARGV[8]  least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else the number of users who were moved
Outbox   one entry { ENTRY.format, ENTRY.tenant, ENTRY.now, ENTRY.asked = the users who were moved } if there
         are any
]]
--- @include "boardEntries"
--- @include "findEntry"
--- @include "isStale"
--- @include "leagueRuns"
--- @include "leagues"
--- @include "userGroups"
--- @include "userState"

local prefix, tenant, version, leastArrival = KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[8])
if isStale(prefix, version, leastArrival > 0) then return nil end

local users, run, rule = decode(ARGV[4]), decode(ARGV[5]), decode(ARGV[7])
local context = { prefix = prefix, leastArrival = leastArrival, userId = '' }
local user, moved = {}, {}
beginLeagueRun(prefix, rule.no, run)

local function moveUser(userId)
  if not readUser(user, prefix, userId) then return end
  local boards, number = user.boards, run[LEAGUE_RUN.number]
  local known = boards[findEntry(boards, leagueNo(rule.no)) + LEAGUE_ENTRY.run]
  if not known or known >= number then return end
  context.userId = userId
  local entry = findEntry(boards, rule.no)
  endLeagueRun(context, rule, boards, entry, number, groupOf(rule.breakdown, user))
  beginRun(boards, entry, rule, run[LEAGUE_RUN.firstDay])
  user.sequence = user.sequence + 1
  call('HSET', user.key, USER_PART.hot, encode(user[USER_HOT.all]))
  moved[#moved + LEAGUE_USER.userId] = userId
end

for at = 0, #users - 1, LEAGUE_USER.size do moveUser(users[at + LEAGUE_USER.userId]) end
if #moved > 0 then
  call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.moveUsers, ENTRY.tenant, tenant, ENTRY.now, ARGV[3],
    ENTRY.asked, encode(moved))
end
return #moved
