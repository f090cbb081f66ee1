--[[
Records events: evaluates each of them whole and in order, all or nothing. An event that is refused does not touch the others.

KEYS[1]  outbox of a shard of this call; the keys of users, boards and the other shards are built here
ARGV[1]  number of the tenant
ARGV[2]  version of the rules the events were prepared with
ARGV[3]  now, ms
ARGV[4]  events, one flat msgpack array of 8 values an event: shard, userId, metric, value, in control group,
         fingerprint|false, hash of the profile (0 without one), event attributes (no, value, …)|false
ARGV[5]  what the script itself seldom needs, one flat msgpack array of 2 values an event: event id, profile (JSON)|false
ARGV[6]  calendars, msgpack values one after the other (ScriptCalendar)
ARGV[7]  rules of the metrics, msgpack values one after the other (ScriptRules)

Reply    nil when a shard has newer rules (nothing was done); else one flat msgpack array, the outcomes one after the other:
         1 recorded, 2 replayed, 3 zone needed, 4 no email, 5 out of points, 7 to be settled first,
         9 being erased (src/redis/outcome.ts)
Outbox   one entry { fn recordEvents, tenant, now, in = ARGV[4], details = ARGV[5], out = reply } unless every event was refused or replayed
]]
--- @include "shardPrefix"
--- @include "isStale"
--- @include "userState"
--- @include "matches"
--- @include "applyProfile"
--- @include "calendars"
--- @include "settle"
--- @include "findCalendar"
--- @include "evaluate"
--- @include "idempotency"

-- A call leaves much garbage and little else: collected less often, it costs a tenth, for a megabyte of memory.
collectgarbage('setpause', 1000)

local EVENT_VALUES, DETAIL_VALUES = 8, 2

local tenant, version, now = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local events = unpack(ARGV[4])
if isStale(tenant, version, events, EVENT_VALUES) then return nil end

local calendars = readCalendars(ARGV[6])
local rulesOf = {}
for _, rules in ipairs({ unpack(ARGV[7]) }) do rulesOf[rules.metric] = rules end

local context = newContext(tenant, version, now, #events / EVENT_VALUES)
local out = context.out
local change = {}
-- Users of whom an event has to come again: their later ones come after it.
local waiting = {}
local changed = false

local details
local function profileOf(at)
  details = details or unpack(ARGV[5])
  return cjson.decode(details[(at - 1) / EVENT_VALUES * DETAIL_VALUES + 2])
end

-- Events of one user in a row read the user once and write the user once.
local user, isChanged, prefixes = {}, false, {}
local function finish()
  if isChanged then finishUser(context, user) end
  isChanged = false
end

local current = false
for at = 1, #events, EVENT_VALUES do
  local shard, userId, metric, fingerprint = events[at], events[at + 1], events[at + 2], events[at + 5]
  local profileHash = events[at + 6]
  local rules = rulesOf[metric]
  local prefix = prefixes[shard]
  if not prefix then
    prefix = shardPrefix(tenant, shard)
    prefixes[shard] = prefix
  end
  -- False once what is in memory may not be what holds.
  local isClean, isErasing = true, false
  if userId ~= current and not readUser(user, prefix, userId) then
    resetUser(user, now, events[at + 4])
    isErasing = call('SISMEMBER', prefix .. 'erasing', userId) == 1
  end
  context.goesOn = events[at + EVENT_VALUES + 1] == userId
  local due = user.stampVersion == version and user.due or dueOf(user, rules)
  local isDue = due <= context.seconds
  -- A replay changes nothing, the profile included: it is answered for the zone that is stored.
  local replayed = fingerprint and not isDue and isUsed(prefix, userId, metric, fingerprint, rules.idempotencyWindowMs, now)
  local profile = not replayed and not isDue and profileHash ~= 0 and profileHash ~= user.profileHash and profileOf(at)
  -- What may be refused half way starts from what is written.
  if profile or rules.mayRefuse then finish() end
  local calendar, missingZone = not profile and calendars[user.tz or rules.defaultZone], nil
  if not calendar then calendar, missingZone = findCalendar(calendars, user, profile, rules, context.seconds) end
  missingZone = waiting[userId] or missingZone

  if missingZone then
    isClean, waiting[userId] = false, missingZone
    report(out, 3, missingZone)
  elseif isDue then
    report(out, 7, due)
  elseif isErasing then
    isClean = false
    report(out, 9)
  elseif replayed then
    report(out, 2, calendar.periods[1], user.counters[rules.counter] or 0, settledStreak(user, rules, calendar, context.seconds))
  elseif profile and not applyProfile(user, profile, profileHash, now) then
    isClean = false
    report(out, 4)
  else
    context.index, context.shard, context.prefix, context.userId = context.index + 1, shard, prefix, userId
    change.value, change.attributes = events[at + 3], events[at + 7]
    local emptySystem = evaluate(context, user, rules, calendar, change)
    if emptySystem then
      isClean = false
      report(out, 5, emptySystem)
    else
      if fingerprint then use(prefix, userId, metric, fingerprint, rules.idempotencyWindowMs, now) end
      changed, isChanged = true, true
    end
  end
  current = isClean and userId
  if not (isClean and context.goesOn) then finish() end
end

local reply = pack(out)
if changed then
  call('XADD', KEYS[1], '*', 'fn', 'recordEvents', 'tenant', tenant, 'now', ARGV[3], 'in', ARGV[4], 'details', ARGV[5],
    'out', reply)
end
return reply
