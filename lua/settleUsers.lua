--[[
Settles users: streaks that end or are made good, freezes that are earned, points that time brings. Each thing whole, at the
instant at which it is due and not at a later one, so that what comes late comes out the same. A user who is to be settled at
another instant is left alone, so it does not matter how often or by how many this is called.

KEYS[1]  outbox of a shard of this call; the keys of users and the other shards are built here
ARGV[1]  number of the tenant
ARGV[2]  version of the rules
ARGV[3]  now, ms: the instant
ARGV[4]  users, one flat msgpack array of 2 values a user: shard, userId
ARGV[5]  horizons, seconds since 1970, one flat msgpack array: the first for everybody, then those of the calendars. Who is due again
         before they are reached goes on at once
ARGV[6]  calendars at the instant, msgpack values one after the other (ScriptCalendar)
ARGV[7]  rules of what time brings, msgpack (ScriptRules)

Reply    nil when a shard has newer rules (nothing was done); else one flat msgpack array of 2 values a user: when to be settled
         next (seconds since 1970), zone that is missing|false: then nothing was done
Outbox   one entry { fn settleUsers, tenant, now, in = 3 values for each time that something happened to a user: shard, userId, instant
         (seconds since 1970), out = the outcomes: 8 settled (src/redis/outcome.ts) } when anything did
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
-- Bounds how long Redis is busy when users go on; those whom it is too late for come again.
local STEPS_MAX = 200

local tenant, version, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local users = unpack(ARGV[4])
if isStale(tenant, version, users, USER_VALUES) then return nil end

local horizons, calendars, rules = unpack(ARGV[5]), readCalendars(ARGV[6]), unpack(ARGV[7])
for i = 1, #calendars do calendars[i].horizon = math.min(horizons[1], horizons[i + 1] or horizons[1]) end
local context = newContext(tenant, version, now, STEPS_MAX)
local first = context.seconds
local change, user, happened, reply = {}, {}, {}, {}

local function step(calendar, seconds, isReview)
  context.now, context.seconds, context.index = seconds * 1000, seconds, context.index + 1
  change.settling = isReview and 'review' or 'due'
  local before = #context.out
  evaluate(context, user, rules, calendar, change)
  if #context.out == before then return end
  local n = #happened
  happened[n + 1], happened[n + 2], happened[n + 3] = context.shard, context.userId, seconds
end

-- Settles the user at the instant, and on while nothing keeps it from going on.
local function settleOn(calendar, isReview)
  local seconds = first
  repeat
    context.goesOn = seconds < calendar.horizon and context.index + 1 < STEPS_MAX
    step(calendar, seconds, isReview)
    seconds, isReview = user.due, false
  until not context.goesOn or seconds >= calendar.horizon
  finishUser(context, user)
end

-- Who reaches the same score at the same instant ranks in the order of this list: nobody overtakes one who has to come again.
local isBlocked = false
for at = 1, #users, USER_VALUES do
  local shard, userId = users[at], users[at + 1]
  local prefix, due, zone = shardPrefix(tenant, shard), NEVER, false
  if context.index >= STEPS_MAX then
    due = first
  elseif not readUser(user, prefix, userId) then
    writeDue(tenant, shard, userId, NEVER)
  else
    local isReview
    due, isReview = dueOf(user, rules)
    local calendar, missingZone = findCalendar(calendars, user, false, rules, first)
    if due ~= first then
      writeDue(tenant, shard, userId, user.due)
    elseif isBlocked or missingZone then
      isBlocked, zone = true, missingZone or calendar.zone
    else
      context.shard, context.prefix, context.userId = shard, prefix, userId
      settleOn(calendar, isReview)
      due = user.due
    end
  end
  reply[at], reply[at + 1] = due, zone
end

if #happened > 0 then
  call('XADD', KEYS[1], '*', 'fn', 'settleUsers', 'tenant', tenant, 'now', ARGV[3], 'in', pack(happened), 'out', pack(context.out))
end
return pack(reply)
