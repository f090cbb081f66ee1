--[[
Records an event that happened before now, or the events of a metrics event (rehearse.lua), all or none. What
an event changes is what it would have changed at its instant; docs/late-events.md says what is evaluated as
of now. A refused event has no effects.

KEYS[1]  outbox of the cell
KEYS[2]  due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules that the event was prepared with
ARGV[3]  now, ms
ARGV[4]  the events, one flat msgpack array of EVENT (recordEvents)
ARGV[5]  their details, one flat msgpack array of DETAIL (recordEvents)
ARGV[6]  what PostgreSQL says of their idempotency keys, msgpack map (recordEvents)
ARGV[7]  for each event LATE, msgpack values one after the other: at (instant of the event, ms), sequence (of
         the user when the history was read; false without history), repair (REPAIR)|false, outdated (numbers
         of leaderboards of the latest value on which a later event counts, and of leagues that have ended the
         run of the event), marks (flat list of MARK_PAST: what forgotten periods have by the history),
         isTooOld (the event is only answered if its key was used), undo (UNDO of an event that undoes another
         one: erasures, scores, points, peaks, addends, achievements)|false
ARGV[8]  calendars at the instant of the event, msgpack values one after the other (ScriptCalendar)
ARGV[9]  calendars now, likewise
ARGV[10] rules of the metric of each event, msgpack values one after the other (ScriptRules)
ARGV[11] least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else a report for each event, one flat msgpack array
         as in recordEvents, where `day` of CHANGE is that of the event. Also:
         OUTCOME.historyNeeded  zone of the user: the call must be made again with what the history says. Both
                                parts of the user's state follow the report, unless the user is new
         OUTCOME.tooOld         the event is too old, and its key was not used
Outbox   for each recorded event one entry { ENTRY.format, ENTRY.tenant, ENTRY.now, ENTRY.asked (EVENT),
         ENTRY.details (DETAIL), ENTRY.late (LATE), ENTRY.today (local day now), ENTRY.outcomes (report) }
]]
--- @include "isStale"
--- @include "userState"
--- @include "calendars"
--- @include "decimal"
--- @include "holdEvent"
--- @include "schedule"
--- @include "settleStreaks"
--- @include "evaluate"
--- @include "evaluateLate"
--- @include "idempotency"
--- @include "reportNone"
--- @include "truncate"
--- @include "usedKeys"

local prefix, tenant, version, now = KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local leastArrival = tonumber(ARGV[11])
if isStale(prefix, version, leastArrival > 0) then return nil end

local events, details = decode(ARGV[4]), decode(ARGV[5])
local count = #events / EVENT.size
local userId, fingerprints = events[EVENT.userId], {}
for event = 0, #events - 1, EVENT.size do
  fingerprints[#fingerprints + 1] = events[event + EVENT.fingerprint] or nil
end

-- An evaluation changes rules and LATE of its event, so they are read anew after a rehearsal.
local rulesOf, lates
local function readRules() rulesOf, lates = { decode(ARGV[10]) }, { decode(ARGV[7]) } end
readRules()
local late = unpack(lates)

local context, user = newContext(tenant, KEYS[2], prefix, version, now, count, leastArrival), {}
local out, keys = context.out, nil

-- Replies that the event with this number refuses all, or what must be known first.
local function refuse(refusedNo, refusal)
  truncate(out, 0)
  reportNone(out, count, refusedNo, refusal)
  local outcomes, outcome = encode(out), unpack(refusal)
  if outcome ~= OUTCOME.historyNeeded or user.isNew then return { outcomes } end
  return { outcomes, call('HGET', user.key, USER_PART.hot), call('HGET', user.key, USER_PART.cold) }
end

-- Whether the history must say first what the events change.
local function lacksHistory(calendar)
  local known = late[LATE.sequence]
  if known then return known ~= user.sequence end
  local atCalendar = readCalendars(ARGV[8], prefix)[calendar.zone]
  for i = 1, count do
    if needsHistory(user, rulesOf[i], atCalendar, calendar) then return true end
  end
  return false
end

-- Reports that an event does not count, or what must be known first.
local function reportRefused(start, ...)
  truncate(out, start)
  report(out, ...)
  return false
end

-- Returns the value that counts; nil if guards refuse or hold the event, which is reported then.
local function guardedValue(i, rules, value, calendar)
  if not rules.guards then return value end
  --- @include "guardEvent"
  local allowed, guard, allowedAt = guardEvent(user, rules, value, calendar, now)
  if allowed then
    if allowed ~= value then report(out, OUTCOME.clamped, guard, allowed) end
    return allowed
  end
  if rules.guards.holds and count == 1 then
    reportHeld(out, keys, guard, fingerprints[i])
  else
    report(out, OUTCOME.guarded, guard, allowedAt)
  end
end

-- Evaluates the event with this number, or reports why it is refused. The profile comes with the first one.
-- Returns whether it counts.
local function evaluateNext(i, rules, calendar, profile)
  local start, event = #out, (i - 1) * EVENT.size
  local value = guardedValue(i, rules, events[event + EVENT.value], calendar)
  if not value then return false end
  if i == 1 and profile then
    --- @include "applyProfile"
    local today = calendar.periods[FREQUENCY.daily]
    local refusal = applyProfile(user, profile, events[EVENT.profileHash], now, today)
    if refusal then return reportRefused(start, refusal) end
  end
  settleStreaks(user, calendar, rules, context.seconds)
  if i == 1 and lacksHistory(calendar) then
    return reportRefused(start, OUTCOME.historyNeeded, calendar.zone)
  end

  context.index, context.userId = context.index + 1, userId
  local atCalendar = readCalendars(ARGV[8], prefix)[calendar.zone]
  local change = { value = value, attributes = events[event + EVENT.attributes] }
  change.counters, change.adds = events[event + EVENT.counters], events[event + EVENT.addends]
  local emptySystem = evaluateLate(context, user, rules, calendar, atCalendar, change, lates[i])
  if emptySystem then return reportRefused(start, OUTCOME.outOfPoints, emptySystem) end
  return true
end

-- Writes the user, the keys and the entries of the outbox. `ends`: where the report of each event ends.
local function write(calendar, ends)
  writeUser(context, user)
  for _, fingerprint in ipairs(fingerprints) do recordUse(keys, fingerprint) end
  local today = decimal(calendar.periods[FREQUENCY.daily])
  local unchanged = { decode(ARGV[7]) }
  local function recordAt(list, i, size) return encode({ unpack(list, (i - 1) * size + 1, i * size) }) end
  local written = 0
  for i = 1, count do
    call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.recordLateEvent, ENTRY.tenant, tenant, ENTRY.now,
      ARGV[3], ENTRY.asked, recordAt(events, i, EVENT.size), ENTRY.details, recordAt(details, i, DETAIL.size),
      ENTRY.late, encode(unchanged[i]), ENTRY.today, today,
      ENTRY.outcomes, encode({ unpack(out, written + 1, ends[i]) }))
    written = ends[i]
  end
end

-- Reads the user, or begins a new one. Returns whether the user exists.
local function loadUser()
  if readUser(user, prefix, userId) then return true end
  resetUser(user, now, events[EVENT.control])
  return false
end

-- Records the events, or reports why not. Returns the reply.
local function recordAll(calendar, profile)
  --- @include "rehearse"
  local function evaluateOf(i, rules) return evaluateNext(i, rules, calendar, profile) end
  if mayRefuseLater(rulesOf) then
    local refusedNo, refusal = rehearse(context, rulesOf, evaluateOf)
    if refusedNo then return refuse(refusedNo, refusal) end
    loadUser()
    readRules()
  end
  local ends = {}
  for i = 1, count do
    -- Only the first event can be refused here.
    if not evaluateOf(i, rulesOf[i]) then return refuse(1, { unpack(out) }) end
    ends[i] = #out
  end
  write(calendar, ends)
  return { encode(out) }
end

-- Answers events whose keys are used, or may be. Returns the reply; nil if the keys are free.
local function answerUsed(calendars)
  local uses, taken = findUses(keys, fingerprints, user.hasFormerKeys)
  if not uses then return refuse(1, { OUTCOME.keyUnknown }) end
  if taken then
    return refuse(taken, count == 1 and { OUTCOME.held, 0, unpack(uses) } or { OUTCOME.keyTaken })
  end
  if #uses == 0 then return nil end
  local firstRules = unpack(rulesOf)
  local zone = user.tz or firstRules.defaultZone
  local calendar = calendars[zone]
  if not calendar then return refuse(1, { OUTCOME.zoneNeeded, zone }) end
  for i, rules in ipairs(rulesOf) do
    settleStreaks(user, calendar, rules, context.seconds)
    local length, firstDay, lastPeriod, daysOff = streakInForce(user, rules)
    local day, total = calendar.periods[FREQUENCY.daily], user.counters[rules.counter] or 0
    report(out, OUTCOME.replayed, day, total, length, firstDay, lastPeriod, daysOff, uses[i])
  end
  return { encode(out) }
end

-- Decides whether the events are recorded. Returns the reply.
local function recordEvents()
  --- @include "findCalendar"
  --- @include "hasErased"
  --- @include "importHold"
  local undo, rules = late[LATE.undo], unpack(rulesOf)
  if undo and hasErased(prefix, userId, undo[UNDO.erasures]) then return refuse(1, { OUTCOME.erasing }) end
  if not loadUser() and call('SISMEMBER', prefix .. TENANT_KEY.erasing(), userId) == 1 then
    return refuse(1, { OUTCOME.erasing })
  end
  local due = dueOf(user, rules)
  if due <= context.seconds then return refuse(1, { whyDue(user, due, context.seconds) }) end

  local calendars = readCalendars(ARGV[9], prefix)
  if #fingerprints > 0 then
    keys = openKeys(prefix, rules, now, decode(ARGV[6]))
    local answer = answerUsed(calendars)
    if answer then return answer end
  end
  if late[LATE.isTooOld] then return refuse(1, { OUTCOME.tooOld }) end

  local profileHash = events[EVENT.profileHash]
  local hasProfile = profileHash ~= 0 and profileHash ~= user.profileHash
  local profile = hasProfile and cjson.decode(details[DETAIL.profile])
  local calendar, missingZone = findCalendar(calendars, user, profile, rules, context.seconds)
  if missingZone then return refuse(1, { OUTCOME.zoneNeeded, missingZone }) end
  return recordAll(calendar, profile)
end

return recordEvents()
