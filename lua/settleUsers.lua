--[[
Settles users at an instant at which they are due: streaks that end or are made good, freezes that are earned, points that time
brings. Each of them whole, at that instant and not a later one, so that what comes late comes out the same. A user who is due
at another instant is left alone, so it does not matter how often or by how many this is called.

KEYS[1]  outbox of a shard of this call; the keys of users and the other shards are built here
ARGV[1]  number of the tenant
ARGV[2]  version of the rules
ARGV[3]  now, ms: the instant
ARGV[4]  users, one flat msgpack array of 2 values a user: shard, userId
ARGV[5]  "due", or "forced": also those who are not due, to whom newer rules may bring something else; they earn nothing
ARGV[6]  calendars at that instant, msgpack values one after the other (ScriptCalendar)
ARGV[7]  rules of what time brings, msgpack (ScriptRules)

Reply    nil when a shard has newer rules (nothing was done); else { outcomes, when each is due next }, two flat msgpack arrays;
         outcomes: 0 nothing to do, 3 zone needed, 6 unknown user, 7 due earlier, 8 settled (src/redis/outcome.ts)
Outbox   one entry { fn settleUsers, tenant, now, in = ARGV[4], out = outcomes } when anybody was settled
]]
--- @include "shardPrefix"
--- @include "isStale"
--- @include "userState"
--- @include "matches"
--- @include "calendars"
--- @include "settle"
--- @include "findCalendar"
--- @include "evaluate"

local USER_VALUES = 2

local tenant, version, now, mode = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[5]
local users = unpack(ARGV[4])
if isStale(tenant, version, users, USER_VALUES) then return nil end

local calendars, rules = readCalendars(ARGV[6]), unpack(ARGV[7])
local context = newContext(tenant, version, now, #users / USER_VALUES)
local out, change, user, due, changed = context.out, { settling = mode }, {}, {}, false
-- Who reaches the same score at the same instant ranks in the order of this list: nobody overtakes one who has to come again.
local isBlocked = false
for at = 1, #users, USER_VALUES do
  local shard, userId = users[at], users[at + 1]
  local prefix = shardPrefix(tenant, shard)
  local isKnown = readUser(user, prefix, userId)
  local isDue = isKnown and user.due <= context.seconds
  local calendar, missingZone
  if isKnown then calendar, missingZone = findCalendar(calendars, user, false, rules, context.seconds) end

  if not isKnown then
    user.due = NEVER
    writeDue(tenant, shard, userId, NEVER)
    report(out, 6)
  elseif isDue and (mode == 'forced' or user.due < context.seconds) then
    writeDue(tenant, shard, userId, user.due)
    report(out, 7, user.due)
  elseif not isDue and mode == 'due' then
    writeDue(tenant, shard, userId, user.due)
    report(out, 0)
  elseif isBlocked or missingZone then
    isBlocked = true
    report(out, 3, missingZone or calendar.zone)
  else
    context.index, context.shard, context.prefix, context.userId = context.index + 1, shard, prefix, userId
    local header = #out
    evaluate(context, user, rules, calendar, change)
    finishUser(context, user)
    changed = changed or out[header + 1] == 8
  end
  due[#due + 1] = user.due
end

local outcomes = pack(out)
if changed then
  call('XADD', KEYS[1], '*', 'fn', 'settleUsers', 'tenant', tenant, 'now', ARGV[3], 'in', ARGV[4], 'out', outcomes)
end
return { outcomes, pack(due) }
