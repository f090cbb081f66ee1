--[[
Records events of the past, user by user, each evaluated as of its own instant. Between two events of a
user, everything that was due happens at its own instant, as settleUsers does it. Only users without events,
and users whose last change is older than their first event, are imported. Until all events of a user are
recorded, the user is held (importHold.lua). Nothing is reported to anybody.

A token in Redis says how many events of a user are done, and is written with the user. So a call may be
repeated, and a user may be continued by another call. The user's state has it, too: a restore of Redis brings
both back.

KEYS[1]  outbox of the cell
KEYS[2]  due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules that the events were prepared with
ARGV[3]  now, ms
ARGV[4]  events, one flat msgpack array of EVENT (recordEvents) without fingerprints: those of each user in a
         row, in order
ARGV[5]  details of the events, one flat msgpack array of DETAIL: eventId, profile (ScriptProfile, JSON)|false
ARGV[6]  instants of the events, one flat msgpack array of PAST_INSTANT: at (ms)
ARGV[7]  keys that several events of a user have, one flat msgpack array of PAST_KEY: event (its position in
         ARGV[4] from 0), key (number among those of the user), freeAt (when the event lets it be used again,
         ms)
ARGV[8]  users, one flat msgpack array of PAST_USER: userId, before (number of the user's events that are not
         part of the call because they are done), count (number of events of the call), isLast (no further
         events follow)
ARGV[9]  number of the import
ARGV[10] greatest number of steps, events and settlings, which bounds how long Redis is busy
ARGV[11] index of the calendars of the past, one flat msgpack array of PAST_CALENDAR: zone, from, till
         (seconds since 1970), first, last (positions in ARGV[12])
ARGV[12] calendars of the past without notices, msgpack values one after the other (ScriptCalendar)
ARGV[13] number of erasures in the cell when the rows were read
ARGV[14] events that count for several metrics, METRICS_EVENT as in recordEvents
ARGV[15] calendars at the present, msgpack values one after the other
ARGV[16] rules of time, then rules of the metrics, msgpack values one after the other (ScriptRules)
ARGV[17] least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else one flat msgpack array of PAST_REPLY for each
         user: status (IMPORT_STATUS), done (number of events that are done), refused (numbers of the refused
         events, from 0), refusals (their outcomes), zone, seconds (the calendar that is missing). The lists
         have all refused events of a user who is done or not imported
Outbox   one entry { ENTRY.format, ENTRY.tenant, ENTRY.now, ENTRY.asked = ARGV[4], ENTRY.details = ARGV[5],
         ENTRY.instants = ARGV[6], ENTRY.outcomes } if any event was recorded; `outcomes` has a report for
         each event, OUTCOME.unchanged for one that was not recorded. One entry of settleUsers, with the
         format ENTRY_FORMAT.settleImported, if anything else happened
]]
--- @include "applyProfile"
--- @include "calendars"
--- @include "evaluate"
--- @include "eventCounts"
--- @include "findCalendar"
--- @include "guardEvent"
--- @include "hasErased"
--- @include "importHold"
--- @include "isStale"
--- @include "nothing"
--- @include "notices"
--- @include "pastCalendars"
--- @include "pastKeys"
--- @include "pastToken"
--- @include "rankMoves"
--- @include "rehearse"
--- @include "savedUser"
--- @include "schedule"
--- @include "truncate"
--- @include "userState"

local prefix, tenant, version, now = KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local leastArrival = tonumber(ARGV[17])
if isStale(prefix, version, leastArrival > 0) then return nil end

collectgarbage('setpause', 1000)
local events, instants, users = decode(ARGV[4]), decode(ARGV[6]), decode(ARGV[8])
local details, stepsLeft = decode(ARGV[5]), tonumber(ARGV[10])
local importNo, shared = tonumber(ARGV[9]), sharedKeys(decode(ARGV[7]))
local tokens = prefix .. TENANT_KEY.import(importNo)
local past, presents = newPastCalendars(decode(ARGV[11]), ARGV[12]), readCalendars(ARGV[15], prefix)
local rulesOf, timeRules, today = {}, nil, floor(now / 1000)
local eventCounts = ARGV[14] ~= '' and readEventCounts(ARGV[14]) or NOTHING
for _, rules in ipairs({ decode(ARGV[16]) }) do
  timeRules = timeRules or rules
  rulesOf[rules.metric] = rules
end

local size = #events / EVENT.size + stepsLeft
local context = newContext(tenant, KEYS[2], prefix, version, now, size, leastArrival)
context.defersMoves, context.givesNoRewards = true, true
local out, settledOut, happened = context.out, {}, {}
local user, change, anyRecorded = {}, {}, false
-- Of the present user: the token, and the calendar that is missing.
local token, missing = {}, {}

local function lacks(zone, seconds)
  missing.zone, missing.seconds = zone, seconds
  return false
end

-- Settles the user at the instant at which the user is due. Returns false if the calendar is missing.
local function settleStep()
  local seconds = user.due
  local zone = user.tz or timeRules.defaultZone
  local calendar = calendarAt(past, zone, seconds)
  if not calendar then return lacks(zone, seconds) end
  finishMoves(context)
  stepsLeft, context.index = stepsLeft - 1, context.index + 1
  context.out, context.defersMoves = settledOut, false
  context.now, context.seconds = seconds * 1000, seconds
  local before, n = #settledOut, #happened
  evaluate(context, user, timeRules, calendar, { settling = SETTLING.due })
  if #settledOut > before then
    happened[n + SETTLED_AT.userId], happened[n + SETTLED_AT.at] = context.userId, seconds
  end
  context.out, context.defersMoves = out, true
  return true
end

-- Settles the user up to an instant. Returns false if the call ends before.
local function settleUntil(seconds)
  while user.due <= seconds do
    if stepsLeft <= 0 or not settleStep() then return false end
  end
  return stepsLeft > 0
end

-- The user before events that may be refused while the user is being changed.
local saved = {}

-- Refuses `count` events, because of the user's event with this number.
local function refuse(number, count, refusal)
  if saved.hot then restoreUser(user, saved) end
  token.refused[#token.refused + 1] = number
  report(token.refusals, unpack(refusal))
  for _ = 1, count do report(out, OUTCOME.unchanged) end
  return true
end

-- The calendar at an instant, after the passed profile; nil if it is missing.
local function calendarOf(profile, seconds)
  local zone = user.tz or timeRules.defaultZone
  local known = { [zone] = calendarAt(past, zone, seconds) }
  if profile and profile.tz ~= nil then
    local new = profile.tz or timeRules.defaultZone
    known[new] = calendarAt(past, new, seconds)
  end
  local calendar, missingZone = findCalendar(known, user, profile, timeRules, seconds)
  if not calendar then lacks(missingZone, seconds) end
  return calendar
end

-- Evaluates the event at `at`, or reports why it is refused. Returns whether it counts.
local function evaluateAt(at, rules, calendar, profile, instant)
  local value, day = events[at + EVENT.value], calendar.periods[FREQUENCY.daily]
  if rules.guards then
    local allowed, guard, allowedAt = guardEvent(user, rules, value, calendar, instant)
    if not allowed then return false, report(out, OUTCOME.guarded, guard, allowedAt) end
    if allowed ~= value then report(out, OUTCOME.clamped, guard, allowed) end
    value = allowed
  end
  local profileHash = events[at + EVENT.profileHash]
  local refusal = profile and user.profileHash ~= profileHash
    and applyProfile(user, profile, profileHash, instant, day)
  if refusal then return false, report(out, refusal) end
  context.now, context.seconds, context.index = instant, floor(instant / 1000), context.index + 1
  change.value, change.attributes = value, events[at + EVENT.attributes]
  change.counters, change.adds = events[at + EVENT.counters], events[at + EVENT.addends]
  local emptySystem = evaluate(context, user, rules, calendar, change)
  if emptySystem then return false, report(out, OUTCOME.outOfPoints, emptySystem) end
  if not context.rehearses then anyRecorded, token.lastDay = true, day end
  return true
end

-- Evaluates `count` events from `at` on, all or none. Returns true, or refuses them.
local function evaluateAll(at, number, count, rulesOfEvents, calendar, profile, instant)
  local function evaluateNext(i, rules)
    return evaluateAt(at + (i - 1) * EVENT.size, rules, calendar, profile, instant)
  end
  if mayRefuseLater(rulesOfEvents) then
    local refusedNo, refusal = rehearse(context, rulesOfEvents, evaluateNext)
    if refusedNo then return refuse(number + refusedNo - 1, count, refusal) end
    restoreUser(user, saved)
  end
  local before = #out
  for i, rules in ipairs(rulesOfEvents) do
    -- Only the first event can be refused here.
    if not evaluateNext(i, rules) then
      local refusal = { unpack(out, before + 1) }
      truncate(out, before)
      local isHeld = count == 1 and rules.guards and rules.guards.holds and unpack(refusal) == OUTCOME.guarded
      -- An event that is held has its key for good.
      if isHeld then markUsed(shared, token.keys, at / EVENT.size, count) end
      return refuse(number, count, refusal)
    end
  end
  markUsed(shared, token.keys, at / EVENT.size, count)
  return true
end

-- Applies `count` events from `at` on, the user's from `number` on: one, or those of a metrics event. Events
-- whose keys are used change nothing. Returns false if the call ends before.
local function applyEvents(at, number, count)
  local instant = instants[at / EVENT.size * PAST_INSTANT.size + PAST_INSTANT.at]
  local used = countUsed(shared, token.keys, at / EVENT.size, count, instant)
  if used == count then
    if stepsLeft <= 0 then return false end
    stepsLeft = stepsLeft - count
    for _ = 1, count do report(out, OUTCOME.unchanged) end
    return true
  end
  if not settleUntil(floor(instant / 1000)) then return false end
  saved.hot = false
  if used > 0 then return refuse(number, count, { OUTCOME.keyTaken }) end
  local rulesOfEvents, profileHash = rulesFrom(events, at, count, rulesOf), events[at + EVENT.profileHash]
  local detail = at / EVENT.size * DETAIL.size + DETAIL.profile
  local profile = profileHash ~= 0 and profileHash ~= user.profileHash and cjson.decode(details[detail])
  if user.isNew then user.created, user.updated = instant, instant end
  if profile or count > 1 or unpack(rulesOfEvents).mayRefuse then saveUser(user, saved) end
  local calendar = calendarOf(profile, floor(instant / 1000))
  if not calendar then return false end
  stepsLeft = stepsLeft - count
  return evaluateAll(at, number, count, rulesOfEvents, calendar, profile, instant)
end

-- Settles the user up to now, and makes the user due as of now. Returns false if the call ends before.
local function finishUser()
  if user.isNew then return true end
  if not settleUntil(today) then return false end
  local zone = user.tz or timeRules.defaultZone
  local calendar = presents[zone]
  if not calendar then return lacks(zone, today) end
  local times = noticesOf(calendar)
  if times and #times.recaps + #times.mornings > 0 and token.lastDay > 0 then
    openToChange(user).activeDay = token.lastDay
  end
  user.due = nextDue(user, calendar, timeRules, today)
  return true
end

-- Begins or continues a user. Returns why the user is not imported, else nil.
local function beginUser(userId, at)
  local stored = call('HGET', tokens, userId)
  local isKnown = readUser(user, prefix, userId)
  token = stored and decode(stored) or isKnown and tokenInState(user, importNo) or newToken()
  if token.status then return token.status end
  local first = instants[at / EVENT.size * PAST_INSTANT.size + PAST_INSTANT.at]
  if token.sequence > 0 then
    if not isKnown or user.sequence ~= token.sequence then return IMPORT_STATUS.changed end
    user.due = token.due
  elseif isKnown then
    if user.due < 0 then return endOfHold(user) and IMPORT_STATUS.held or IMPORT_STATUS.blocked end
    local isLive = first and next(user.counters) and user.seen >= floor(first / 3600000)
    if isLive then return IMPORT_STATUS.live end
  else
    resetUser(user, first or now, events[at + EVENT.control])
    if hasErased(prefix, userId, ARGV[13]) then return IMPORT_STATUS.erasing end
  end
end

-- Writes the user and the token.
local function writeProgress(userId, status)
  local isDone = status == IMPORT_STATUS.done
  token.status, token.keys = isDone and status, isDone and {} or token.keys
  if not user.isNew then token.due, token.sequence = user.due, user.sequence end
  local packed = encode(token)
  call('HSET', tokens, userId, packed)
  if user.isNew then return end
  local isNumberEnough = isDone and #token.refused == 0
  openToChange(user).pastImport = isNumberEnough and importNo
    or { [PAST_TOKEN.import] = importNo, [PAST_TOKEN.token] = packed }
  user.messagesFrom = now + IMPORT_SILENCE.ms
  if not isDone then hold(context, user, today) end
  writeUser(context, user)
end

-- Applies the events of a user, which begin at `at`. Returns the status (IMPORT_STATUS).
local function applyUser(userId, at, record)
  local before, count = users[record + PAST_USER.before], users[record + PAST_USER.count]
  context.userId = userId
  local status, stepsBefore = beginUser(userId, at), stepsLeft
  local first = math.max(0, token.done - before)
  for _ = 1, status and count or math.min(first, count) do report(out, OUTCOME.unchanged) end
  if status then return status end
  local i = math.min(first, count)
  while i < count do
    local together = eventCounts[at + i * EVENT.size] or 1
    if not applyEvents(at + i * EVENT.size, before + i, together) then break end
    i = i + together
  end
  token.done = before + i
  local isWhole = i == count and users[record + PAST_USER.isLast] and finishUser()
  for _ = i + 1, count do report(out, OUTCOME.unchanged) end
  finishMoves(context)
  status = isWhole and IMPORT_STATUS.done or missing.zone and IMPORT_STATUS.calendar or IMPORT_STATUS.more
  if stepsLeft < stepsBefore or isWhole then writeProgress(userId, status) end
  return status
end

local reply, at = {}, 0
for record = 0, #users - 1, PAST_USER.size do
  local userId = users[record + PAST_USER.userId]
  missing.zone, missing.seconds = false, 0
  local status, n = applyUser(userId, at, record), #reply
  local isEnd = status ~= IMPORT_STATUS.more and status ~= IMPORT_STATUS.calendar
  reply[n + PAST_REPLY.status], reply[n + PAST_REPLY.done] = status, token.done
  reply[n + PAST_REPLY.refused] = isEnd and token.refused or {}
  reply[n + PAST_REPLY.refusals] = isEnd and token.refusals or {}
  reply[n + PAST_REPLY.zone], reply[n + PAST_REPLY.seconds] = missing.zone, missing.seconds
  at = at + users[record + PAST_USER.count] * EVENT.size
end

finishMoves(context)
if anyRecorded then
  call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.importEvents, ENTRY.tenant, tenant, ENTRY.now,
    ARGV[3], ENTRY.asked, ARGV[4], ENTRY.details, ARGV[5], ENTRY.instants, ARGV[6], ENTRY.outcomes,
    encode(out))
end
if #happened > 0 then
  call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.settleImported, ENTRY.tenant, tenant, ENTRY.now,
    ARGV[3], ENTRY.asked, encode(happened), ENTRY.outcomes, encode(settledOut))
end
return encode(reply)
