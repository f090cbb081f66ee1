--[[
Records one event that happened before now. What it changes is what it would have changed at its instant;
docs/late-events.md says what is evaluated as of now. A refused event has no effects.

KEYS[1]  outbox of the cell
KEYS[2]  due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules that the event was prepared with
ARGV[3]  now, ms
ARGV[4]  the event, one flat msgpack array EVENT (recordEvents)
ARGV[5]  its details, one flat msgpack array DETAIL (recordEvents)
ARGV[6]  what PostgreSQL says of its idempotency key, msgpack map (recordEvents)
ARGV[7]  msgpack array LATE: at (instant of the event, ms), sequence (of the user when the history was read;
         false without history), repair (REPAIR)|false, outdated (numbers of leaderboards of the latest
         value on which a later event counts, and of leagues that have ended the run of the event), marks
         (flat list of MARK_PAST: what forgotten periods have by the history), isTooOld
         (the event is only answered if its key was used), undo (UNDO of an event that undoes another one:
         erasures, scores, points, peaks, addends, achievements)|false
ARGV[8]  calendars at the instant of the event, msgpack values one after the other (ScriptCalendar)
ARGV[9]  calendars now, likewise
ARGV[10] rules of the metric, msgpack (ScriptRules)
ARGV[11] least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else the report, one flat msgpack array as in
         recordEvents, where `day` of CHANGE is that of the event. Also:
         OUTCOME.historyNeeded  zone of the user: the call must be made again with what the history says. Both
                                parts of the user's state follow the report, unless the user is new
         OUTCOME.tooOld         the event is too old, and its key was not used
Outbox   one entry { ENTRY.format, ENTRY.tenant, ENTRY.now, ENTRY.asked = ARGV[4], ENTRY.details = ARGV[5],
         ENTRY.late = ARGV[7], ENTRY.today (local day now), ENTRY.outcomes = report } if the event was
         recorded
]]
--- @include "isStale"
--- @include "userState"
--- @include "applyProfile"
--- @include "calendars"
--- @include "decimal"
--- @include "findCalendar"
--- @include "guardEvent"
--- @include "hasErased"
--- @include "holdEvent"
--- @include "schedule"
--- @include "settleStreaks"
--- @include "evaluate"
--- @include "evaluateLate"
--- @include "idempotency"
--- @include "importHold"

local prefix, tenant, version, now = KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local leastArrival = tonumber(ARGV[11])
if isStale(prefix, version, leastArrival > 0) then return nil end

local event, late, rules = decode(ARGV[4]), decode(ARGV[7]), decode(ARGV[10])
local userId, fingerprint = event[EVENT.userId], event[EVENT.fingerprint]
local context, user = newContext(tenant, KEYS[2], prefix, version, now, 1, leastArrival), {}

local keys

-- Records the event with the value that counts, or reports why not. Returns the reply.
local function recordEvent(value, calendar, profile)
  local today = calendar.periods[FREQUENCY.daily]
  local refusal = profile and applyProfile(user, profile, event[EVENT.profileHash], now, today)
  if refusal then return { encode({ refusal }) } end

  local atCalendar = readCalendars(ARGV[8], prefix)[calendar.zone]
  settleStreaks(user, calendar, rules, context.seconds)
  if late[LATE.sequence] ~= user.sequence
    and (late[LATE.sequence] or needsHistory(user, rules, atCalendar, calendar)) then
    local needed = encode({ OUTCOME.historyNeeded, calendar.zone })
    if user.isNew then return { needed } end
    return { needed, call('HGET', user.key, USER_PART.hot), call('HGET', user.key, USER_PART.cold) }
  end

  context.index, context.userId = 1, userId
  local change = { value = value, attributes = event[EVENT.attributes] }
  local emptySystem = evaluateLate(context, user, rules, calendar, atCalendar, change, late)
  if emptySystem then return { encode({ OUTCOME.outOfPoints, emptySystem }) } end
  writeUser(context, user)
  if fingerprint then recordUse(keys, fingerprint) end
  local outcomes = encode(context.out)
  call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.recordLateEvent, ENTRY.tenant, tenant, ENTRY.now,
    ARGV[3], ENTRY.asked, ARGV[4], ENTRY.details, ARGV[5], ENTRY.late, ARGV[7], ENTRY.today, decimal(today),
    ENTRY.outcomes, outcomes)
  return { outcomes }
end

-- Decides whether the event is recorded. Returns the reply.
local function checkEvent()
  local undo = late[LATE.undo]
  if undo and hasErased(prefix, userId, undo[UNDO.erasures]) then
    return { encode({ OUTCOME.erasing }) }
  end
  if not readUser(user, prefix, userId) then
    resetUser(user, now, event[EVENT.control])
    if call('SISMEMBER', prefix .. TENANT_KEY.erasing(), userId) == 1 then
      return { encode({ OUTCOME.erasing }) }
    end
  end
  local due = dueOf(user, rules)
  if due <= context.seconds then return { encode({ whyDue(user, due, context.seconds) }) } end

  local calendars = readCalendars(ARGV[9], prefix)
  local used, slice = false, nil
  keys = fingerprint and openKeys(prefix, rules, now, decode(ARGV[6]))
  if keys then
    used, slice = findUse(keys, fingerprint, user.hasFormerKeys)
    if used == nil then return { encode({ OUTCOME.keyUnknown }) } end
  end
  if used then
    if reportIfHeld(context.out, keys, fingerprint, user.hasFormerKeys, used, slice) then
      return { encode(context.out) }
    end
    local calendar = calendars[user.tz or rules.defaultZone]
    if not calendar then return { encode({ OUTCOME.zoneNeeded, user.tz or rules.defaultZone }) } end
    settleStreaks(user, calendar, rules, context.seconds)
    local length, firstDay, lastPeriod, daysOff = streakInForce(user, rules)
    local day, total = calendar.periods[FREQUENCY.daily], user.counters[rules.counter] or 0
    return { encode({ OUTCOME.replayed, day, total, length, firstDay, lastPeriod, daysOff, used }) }
  end
  if late[LATE.isTooOld] then return { encode({ OUTCOME.tooOld }) } end

  local profileHash = event[EVENT.profileHash]
  local hasProfile = profileHash ~= 0 and profileHash ~= user.profileHash
  local profile = hasProfile and cjson.decode(decode(ARGV[5])[DETAIL.profile])
  local calendar, missingZone = findCalendar(calendars, user, profile, rules, context.seconds)
  if missingZone then return { encode({ OUTCOME.zoneNeeded, missingZone }) } end
  local value = event[EVENT.value]
  if rules.guards then
    local allowed, guard, allowedAt = guardEvent(user, rules, value, calendar, now)
    if not allowed then
      if not rules.guards.holds then return { encode({ OUTCOME.guarded, guard, allowedAt }) } end
      reportHeld(context.out, keys, guard, fingerprint)
      return { encode(context.out) }
    end
    if allowed ~= value then report(context.out, OUTCOME.clamped, guard, allowed) end
    value = allowed
  end
  return recordEvent(value, calendar, profile)
end

return checkEvent()
