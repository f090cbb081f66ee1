--[[
Reads, identifies or rewards one user: settles, applies what is passed, and writes only when something changed.

KEYS[1]  outbox of the user's shard; the other keys are built here
ARGV[1]  number of the tenant
ARGV[2]  version of the rules the change was prepared with
ARGV[3]  now, ms
ARGV[4]  the change, msgpack { shard, userId, in control group, profile (JSON)|false, hash of the profile,
         achievement|false, may create, is activation: the user silently gets what was activated after qualifying for it,
         preferences (ScriptPreferences, JSON)|false, amendment of the streak|false (lua/includes/amendStreak.lua) }
ARGV[5]  calendars, msgpack values one after the other (ScriptCalendar)
ARGV[6]  rules, msgpack (ScriptRules)

Reply    nil when the shard has newer rules (nothing was done); else { outcome, hot part, cold part of the user's state },
         the outcome as in recordEvents, or 0 unchanged, 6 unknown user; of 7, to be settled first, of
         9, being erased, and of 10, refused, there is no state
Outbox   one entry { fn changeUser, tenant, now, in = ARGV[4], out = outcome } when something changed
]]
--- @include "shardPrefix"
--- @include "isStale"
--- @include "userState"
--- @include "matches"
--- @include "applyProfile"
--- @include "calendars"
--- @include "settle"
--- @include "applyPreferences"
--- @include "findCalendar"
--- @include "evaluate"
--- @include "findDue"
--- @include "amendStreak"

local tenant, version, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local given = unpack(ARGV[4])
if isStale(tenant, version, given, #given) then return nil end

local shard, userId, achievement = given[1], given[2], given[6]
local profile = given[4] and cjson.decode(given[4])
local rules = unpack(ARGV[6])
local prefix = shardPrefix(tenant, shard)
local user = {}
if not readUser(user, prefix, userId) then
  if not given[7] then return { pack({ 6 }) } end
  resetUser(user, now, given[3])
  if call('SISMEMBER', prefix .. 'erasing', userId) == 1 then return { pack({ 9 }) } end
end

local context = newContext(tenant, version, now, 1)
local due = dueOf(user, rules)
if due <= context.seconds then return { pack({ 7, due }) } end
local calendar, missingZone = findCalendar(readCalendars(ARGV[5]), user, profile, rules, context.seconds)
if missingZone then return { pack({ 3, missingZone }) } end
local allowed, changed = applyProfile(user, profile, given[5], now)
if not allowed then return { pack({ 4 }) } end
if given[9] and applyPreferences(user, cjson.decode(given[9]), now) then changed = true end
if achievement and open(user).achievements[achievement] then achievement = false end

if given[10] then
  settle(user, calendar, rules, context.seconds)
  local reason = amendStreak(user, rules, calendar, given[10])
  if reason then return { pack({ 10, reason }) } end
  changed = true
end

local outcome = pack({ 0 })
local settled = settle(user, calendar, rules, context.seconds)
local isDue = given[8] and findDue(context, user, rules, calendar)
if user.isNew or changed or achievement or settled or isDue then
  context.index, context.shard, context.prefix, context.userId = 1, shard, prefix, userId
  evaluate(context, user, rules, calendar, { achievement = achievement })
  finishUser(context, user)
  outcome = pack(context.out)
  call('XADD', KEYS[1], '*', 'fn', 'changeUser', 'tenant', tenant, 'now', ARGV[3], 'in', ARGV[4], 'out', outcome)
end
return { outcome, call('HGET', user.key, 'h'), call('HGET', user.key, 'c') }
