--[[
Records events, in order. Each event is evaluated as a whole: it has all its effects or none. A refused event
does not affect the others.

KEYS[1]  outbox of the cell
KEYS[2]  due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules that the events were prepared with
ARGV[3]  now, ms
ARGV[4]  events, one flat msgpack array of EVENT: userId, metric, value, control (in the control group),
         fingerprint|false, profileHash (0 without a profile), attributes (flat list of ATTRIBUTE: no,
         value)|false
ARGV[5]  details of the events, one flat msgpack array of DETAIL: eventId, profile (ScriptProfile, JSON)|false
ARGV[6]  what PostgreSQL says of idempotency keys, msgpack map: fingerprint → KEY_USE: usedAt (last use, ms; 0
         if there is none), idAt (instant in the id of its event, ms; 0 for an id without one)
ARGV[7]  rankings of a tenant that is spread over cells, one flat msgpack array of RANK_FLOOR: board, run,
         group, floor (the score of the last rank among the users of all cells); empty if none is known
ARGV[8]  events that count for several metrics (recordMetricsEvent.lua), one flat msgpack array of
         METRICS_EVENT: first (position in ARGV[4] from 0), count (number of its events); empty if none does
ARGV[9]  calendars, msgpack values one after the other (ScriptCalendar)
ARGV[10] rules of the metrics, msgpack values one after the other (ScriptRules)
ARGV[11] least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else one flat msgpack array, one report for each
         event:
         OUTCOME.recorded    CHANGE: outcome, sequence, isNew, day, total, frequency, streakLength,
                             streakFirstDay, streakLastPeriod, streakDaysOff, extended, completedCount; the
                             numbers of the achievements, negated if completed silently; number of points
                             systems; for each SYSTEM: system, awardCount, and for each AWARD: trigger,
                             awarded, total, boostCount, the numbers of the boosts;
                             number of changed ranks; for each BOARD_CHANGE: board, run, rank|false,
                             previousRank|false, threshold, value, previousValue|false; with a group, board
                             is negative and group follows. Rank and threshold are those after all events,
                             previousRank that before them; after a first move of the user it is the rank.
                             Changes up to the floor of a ranking are not reported
         OUTCOME.replayed    REPLAYED: day, total, streakLength, streakFirstDay, streakLastPeriod,
                             streakDaysOff, usedAt
                             (instant in the id of the event, ms; 0 for an id without one)
         OUTCOME.keyUnknown  nothing: PostgreSQL must be asked about the key, or about one of an earlier event
                             of the user
         OUTCOME.zoneNeeded  zone whose calendar is missing
         OUTCOME.outOfPoints number of the points system
         OUTCOME.guarded     GUARD that refuses the event, instant (ms) from which on it may count or 0
         OUTCOME.held        GUARD that holds the event for a review, 0; or, if the event was held before, 0
                             and the instant in the id of the event (ms; 0 for an id without one)
         OUTCOME.clamped     GUARD that reduced the value, value that counts; then the report of the event
         OUTCOME.facts       number of facts that conditions ask for, and each ATTRIBUTE (reportFacts); then
                             the report of the recorded event
         OUTCOME.challenges  number of challenges that the event changed; for each CHALLENGE_CHANGE:
                             challenge, run, step (CHALLENGE_STEP or 0), steps (RUN_STEPS)|false,
                             goalCount, and for each GOAL_CHANGE: counter, total; then the report of the
                             recorded event
         OUTCOME.blocked     instant at which the user's block ends, seconds since 1970, or DUE.never
         OUTCOME.due         instant at which to settle the user first, seconds since 1970; later than now if
                             the user's history is being imported (importHold.lua)
         OUTCOME.noEmail, OUTCOME.futureSignUp, OUTCOME.erasing  nothing
         OUTCOME.keyTaken    nothing: another event has used the key of this event of a metrics event
         OUTCOME.unchanged   nothing: another event of the same metrics event says why
Outbox   one entry { ENTRY.format, ENTRY.tenant, ENTRY.now, ENTRY.asked = ARGV[4], ENTRY.details = ARGV[5],
         ENTRY.outcomes = reply } if any event was recorded
]]
--- @include "isStale"
--- @include "userState"
--- @include "calendars"
--- @include "evaluate"
--- @include "offFastPath"
--- @include "rankMoves"

-- A call makes much garbage and keeps little. Rarer collections save a tenth of its time, for a megabyte of
-- memory.
collectgarbage('setpause', 1000)

local prefix, tenant, version, now = KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local leastArrival = tonumber(ARGV[11])
if isStale(prefix, version, leastArrival > 0) then return nil end

local events = decode(ARGV[4])
local calendars, rulesOf = readCalendars(ARGV[9], prefix), {}
for _, rules in ipairs({ decode(ARGV[10]) }) do rulesOf[rules.metric] = rules end

local context = newContext(tenant, KEYS[2], prefix, version, now, #events / EVENT.size, leastArrival)
context.defersMoves = #events > EVENT.size
if ARGV[7] ~= '' then
  --- @include "rankFloors"
  context.floors = readFloors(prefix, ARGV[7])
end
local out, change = context.out, {}

local details
local function profileOf(at)
  details = details or decode(ARGV[5])
  return cjson.decode(details[at / EVENT.size * DETAIL.size + DETAIL.profile])
end

-- The user of the present event. Events of one user in a row read the user once and write the user once.
local user, hasUnwritten, anyRecorded = {}, false, false
local function writeChanges()
  if hasUnwritten then writeUser(context, user) end
  hasUnwritten = false
end

-- Zones whose calendar is missing, by user. Later events of such a user must wait, too, because events of a
-- user stay in order.
local missingZones = {}
local function reportMissingZone(userId, zone)
  missingZones[userId] = zone
  report(out, OUTCOME.zoneNeeded, zone)
  return false
end

-- Users with a key that PostgreSQL must be asked about: their later events wait, too.
local awaitingKeys = {}
local function reportUnknownKey(userId)
  awaitingKeys[userId] = true
  report(out, OUTCOME.keyUnknown)
  return false
end

-- A replay changes nothing, not even the profile. Settling changes the user in memory only.
local function reportReplay(rules, calendar, used)
  local slow = offFastPath()
  slow.settleStreaks(user, calendar, rules, context.seconds)
  local length, firstDay, lastPeriod, daysOff = slow.streakInForce(user, rules)
  local day, total = calendar.periods[FREQUENCY.daily], user.counters[rules.counter] or 0
  report(out, OUTCOME.replayed, day, total, length, firstDay, lastPeriod, daysOff, used)
  return true
end

-- The idempotency keys of the tenant and their functions, once an event has a key.
local keys, findKey, recordKey
local function openKeysOnce(rules)
  if keys then return end
  --- @include "idempotency"
  keys, findKey, recordKey = openKeys(prefix, rules, now, decode(ARGV[6])), findUse, recordUse
end

-- The function of guards, once an event has a metric with guards.
local checkGuards
local function guardsFunction()
  if checkGuards then return checkGuards end
  --- @include "guardEvent"
  checkGuards = guardEvent
  return checkGuards
end

-- The functions of held events, once an event is held or a key was used.
local reportHeldAgain, holdEvent
local function openHolds()
  if holdEvent then return end
  --- @include "holdEvent"
  reportHeldAgain, holdEvent = reportIfHeld, reportHeld
end

-- See eventCounts.lua; nil without metrics events.
local eventCounts

-- Reports that a guard refuses or holds the event at `at`.
local function reportGuarded(guards, guard, allowedAt, at)
  if guards.holds and not (eventCounts and eventCounts[at]) then
    openHolds()
    holdEvent(out, keys, guard, events[at + EVENT.fingerprint])
  else
    report(out, OUTCOME.guarded, guard, allowedAt)
  end
end

-- The functions of kept histories, once an event is recorded of a user who has one.
local keptHistory
local function noteEvent(at)
  if not keptHistory then
    --- @include "keptHistory"
    keptHistory = { noteChange = noteChange, keepNotes = keepNotes }
  end
  details = details or decode(ARGV[5])
  keptHistory.noteChange(context, user, details[at / EVENT.size * DETAIL.size + DETAIL.eventId])
end

-- Evaluates the event at `at`, or reports why it is refused. Returns whether it is recorded.
local function evaluateEvent(at, userId, rules, calendar)
  local missingZone
  local profileHash = events[at + EVENT.profileHash]
  local profile = profileHash ~= 0 and profileHash ~= user.profileHash and profileOf(at)
  -- An event that may be refused while the user is being changed must start from what Redis holds.
  if profile or rules.mayRefuse or rules.guards then writeChanges() end
  if profile or not calendar then
    calendar, missingZone = offFastPath().findCalendar(calendars, user, profile, rules, context.seconds)
    if not calendar then return reportMissingZone(userId, missingZone) end
  end
  local value = events[at + EVENT.value]
  if rules.guards then
    local allowed, guard, allowedAt = guardsFunction()(user, rules, value, calendar, now)
    if not allowed then
      reportGuarded(rules.guards, guard, allowedAt, at)
      return false
    end
    if allowed ~= value then report(out, OUTCOME.clamped, guard, allowed) end
    value = allowed
  end
  local refusal = profile
    and offFastPath().applyProfile(user, profile, profileHash, now, calendar.periods[FREQUENCY.daily])
  if refusal then
    report(out, refusal)
    return false
  end

  context.index, context.userId = context.index + 1, userId
  change.value, change.attributes = value, events[at + EVENT.attributes]
  change.counters, change.adds = events[at + EVENT.counters], events[at + EVENT.addends]
  local emptySystem = evaluate(context, user, rules, calendar, change)
  if emptySystem then
    report(out, OUTCOME.outOfPoints, emptySystem)
    return false
  end
  if context.rehearses then return true end
  hasUnwritten, anyRecorded = true, true
  if user.keepsHistory then noteEvent(at) end
  return true
end

-- The function of metrics events, once a call has one.
local recordMetrics
-- Whether the events of the present metrics event lack a report.
local lacksReports = false
local function openMetricsEvents()
  --- @include "eventCounts"
  --- @include "recordMetricsEvent"
  eventCounts = readEventCounts(ARGV[8])
  recordMetrics = metricsRecorder({
    context = context, user = user, events = events, calendars = calendars, rulesOf = rulesOf,
    evaluateEvent = evaluateEvent, writeChanges = writeChanges, reportReplay = reportReplay,
    reportUnknownKey = reportUnknownKey, reportMissingZone = reportMissingZone,
    openKeys = function(rules)
      openKeysOnce(rules)
      return keys
    end,
  })
end

-- Records the event at `at`, or reports why not. Returns whether `user` is what Redis holds, or will hold
-- after writeChanges.
local function recordEvent(at, userId, isLoaded)
  if missingZones[userId] then return reportMissingZone(userId, missingZones[userId]) end
  if awaitingKeys[userId] then return reportUnknownKey(userId) end

  local rules, fingerprint = rulesOf[events[at + EVENT.metric]], events[at + EVENT.fingerprint]
  if not isLoaded and not readUser(user, prefix, userId) then
    resetUser(user, now, events[at + EVENT.control])
    if call('SISMEMBER', prefix .. TENANT_KEY.erasing(), userId) == 1 then
      report(out, OUTCOME.erasing)
      return false
    end
  end

  local due = user.rulesVersion == version and user.due or offFastPath().dueOf(user, rules)
  if due <= context.seconds then
    report(out, offFastPath().whyDue(user, due, context.seconds))
    return true
  end

  if eventCounts and eventCounts[at] then
    lacksReports = false
    return recordMetrics(at, eventCounts[at], userId)
  end
  local calendar = calendars[user.tz or rules.defaultZone]
  if not fingerprint then return evaluateEvent(at, userId, rules, calendar) end

  openKeysOnce(rules)
  local used, slice = findKey(keys, fingerprint, user.hasFormerKeys)
  if used == nil then return reportUnknownKey(userId) end
  if used then
    openHolds()
    if reportHeldAgain(out, keys, fingerprint, user.hasFormerKeys, used, slice) then return false end
    if not calendar then return reportMissingZone(userId, user.tz or rules.defaultZone) end
    return reportReplay(rules, calendar, used)
  end
  local isRecorded = evaluateEvent(at, userId, rules, calendar)
  if isRecorded then recordKey(keys, fingerprint) end
  return isRecorded
end

if ARGV[8] ~= '' then openMetricsEvents() end
local isLoaded = false
for at = 0, #events - 1, EVENT.size do
  local userId = events[at + EVENT.userId]
  if not eventCounts or eventCounts[at] ~= 0 then
    lacksReports = true
    isLoaded = recordEvent(at, userId, isLoaded)
  elseif lacksReports then
    report(out, OUTCOME.unchanged)
  end
  isLoaded = isLoaded and events[at + EVENT.size + EVENT.userId] == userId
  if not isLoaded then writeChanges() end
end

finishMoves(context, true)
local reply = encode(out)
if anyRecorded then
  call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.recordEvents, ENTRY.tenant, tenant, ENTRY.now,
    ARGV[3], ENTRY.asked, ARGV[4], ENTRY.details, ARGV[5], ENTRY.outcomes, reply)
  if keptHistory then keptHistory.keepNotes(context) end
end
return reply
