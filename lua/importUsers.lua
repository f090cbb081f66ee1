--[[
Sets users as they were elsewhere: profile, totals, streak, achievements. Each user is imported as a whole or
not at all. Nothing is reported to anybody: achievements for which the totals qualify are completed silently,
without points. A repetition changes nothing.

KEYS[1]  outbox of the cell
KEYS[2]  due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules that the users were prepared with
ARGV[3]  now, ms
ARGV[4]  users, one flat msgpack array of IMPORTED_USER: userId, control (in the control group), profile
         (ScriptProfile, JSON)|false, profileHash, created (ms)|false, metrics, points (flat lists of
         IMPORTED_TOTAL: entity, no, value), achievements (flat list of IMPORTED_COMPLETION: achievement,
         completedAt), challenges (flat list of IMPORTED_CHALLENGE: challenge, completions), streak
         (IMPORTED_STREAK: length, firstDay, lastPeriod, extendedAt, longest, lastDay, zone)|false,
         freezes|false, preferences (ScriptPreferences, JSON)|false, messagesFrom (ms: no messages
         before)|false, replaced (REPLACED_STREAK: sequence, periods, losses, longest,
         freezesMax)|false
ARGV[5]  number of the import if it adds to what users have, also to those with events of their own; else 0
ARGV[6]  number of erasures in the cell when the rows were read
ARGV[7]  calendars, msgpack values one after the other (ScriptCalendar)
ARGV[8]  rules of an activation, msgpack (ScriptRules)
ARGV[9]  least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else one flat msgpack array, one report for each
         user: that of OUTCOME.recorded, OUTCOME.blocked or OUTCOME.due (recordEvents), or
         OUTCOME.refused with REFUSED and false, OUTCOME.unchanged, OUTCOME.erasing, OUTCOME.noEmail,
         OUTCOME.futureSignUp, OUTCOME.futureStreak, OUTCOME.zoneNeeded, or OUTCOME.streakKnown, sequence
         number, lastPeriod and extendedAt of the imported streak that the row replaces: the call must be
         made again with `replaced`
Outbox   one entry { ENTRY.format, ENTRY.tenant, ENTRY.now, ENTRY.asked = ARGV[4], ENTRY.details,
         ENTRY.outcomes = reply } if any user changed. `details`: IMPORT_DETAIL for each user: metrics,
         points (flat lists of IMPORTED_CHANGE: entity, no, change, total), achievements (those that were
         new), hasStreak, covered (flat list of COVERED: missed periods of the streak)
]]
--- @include "applyPreferences"
--- @include "applyProfile"
--- @include "calendars"
--- @include "evaluate"
--- @include "findCalendar"
--- @include "hasErased"
--- @include "hideUser"
--- @include "importHold"
--- @include "importValues"
--- @include "isStale"
--- @include "nothing"
--- @include "prepareActivation"
--- @include "rankMoves"
--- @include "recentPeriods"
--- @include "schedule"
--- @include "settleStreaks"
--- @include "userState"

local prefix, tenant, version, now = KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local leastArrival = tonumber(ARGV[9])
if isStale(prefix, version, leastArrival > 0) then return nil end

local asked, addingImport = decode(ARGV[4]), tonumber(ARGV[5])
local adds = addingImport > 0
local calendars, rules = readCalendars(ARGV[7], prefix), decode(ARGV[8])
local boards = rules.boards
local context = newContext(tenant, KEYS[2], prefix, version, now, #asked / IMPORTED_USER.size, leastArrival)
context.defersMoves = true
local out, user, details, anyRecorded = context.out, {}, {}, false

-- Reads the user or begins a new one. Returns false if the user is being erased, or may have been erased
-- since the rows were read.
local function beginUser(userId, at)
  if readUser(user, prefix, userId) then return true end
  resetUser(user, asked[at + IMPORTED_USER.created] or now, asked[at + IMPORTED_USER.control])
  return not hasErased(prefix, userId, ARGV[6])
end

-- Puts the imported values into the user. Returns whether anything changed.
local function setValues(at, calendar)
  local imported = openToChange(user).imported
    or { metrics = {}, points = {}, challenges = {}, streaks = {}, freezes = false }
  user.imported = imported
  if adds and hasAdded(imported, addingImport) then return false end
  local detail = (at / IMPORTED_USER.size) * IMPORT_DETAIL.size
  local metrics = importTotals(user.counters, imported.metrics, asked[at + IMPORTED_USER.metrics], adds)
  forgetPeaks(user, metrics)
  local points = importTotals(user.points, imported.points, asked[at + IMPORTED_USER.points], adds)
  local new = importAchievements(user, asked[at + IMPORTED_USER.achievements], prefix)
  local hasRuns = importChallenges(user, imported.challenges, asked[at + IMPORTED_USER.challenges], adds)
  local streak, freezes = asked[at + IMPORTED_USER.streak], asked[at + IMPORTED_USER.freezes]
  local replaced = asked[at + IMPORTED_USER.replaced]
  local hasStreak = streak and importStreak(user, streak, replaced, rules, calendar, context.seconds, adds)
  local hasFreezes = freezes and importFreezes(user, freezes)
  details[detail + IMPORT_DETAIL.metrics], details[detail + IMPORT_DETAIL.points] = metrics, points
  details[detail + IMPORT_DETAIL.achievements], details[detail + IMPORT_DETAIL.hasStreak] = new, hasStreak
  return #metrics + #points + #new > 0 or hasRuns or hasFreezes or hasStreak
end

-- Sets preferences. Only a new user has no ranks yet and can be hidden here. Returns whether anything
-- changed.
local function setPreferences(preferences)
  if not user.isNew then
    preferences.isOnLeaderboards = nil
  elseif preferences.isOnLeaderboards == false then
    setReason(user.boards, BOARD.optedOut, true, DUE.never)
  end
  return applyPreferences(user, preferences, now)
end

-- Says from when on the user gets messages, as the row says or a while after the import. Returns whether the
-- row changes it.
local function setSilence(at)
  local from, before = asked[at + IMPORTED_USER.messagesFrom], open(user).messagesFrom
  user.messagesFrom = from or now + IMPORT_SILENCE.ms
  return from and from ~= before
end

-- Completes silently what the values qualify for, and ranks the user. Returns the periods that the streak has
-- missed and that were covered, a flat list of COVERED.
local function evaluateUser(userId, calendar)
  local settled = { lost = 0, covered = {} }
  settleStreaks(user, calendar, rules, context.seconds, settled)
  if #settled.covered > 0 then
    addCovered(user, settled)
  end
  local freezes = user.freezes
  user.fastPathDay = 0
  rules.boards = boards
  for i = 1, #boards do boards[i].hides = nil end
  prepareActivation(context, user, rules, calendar, userId, NOTHING)
  context.index, context.userId = context.index + 1, userId
  local hasFreezes = user.isNew and user.imported.freezes
  evaluate(context, user, rules, calendar, { isSilent = true })
  if hasFreezes then
    -- A new user begins with the freezes of the rules.
    user.freezes = freezes
    schedule(user, calendar, rules, context.seconds)
  end
  writeUser(context, user)
  anyRecorded = true
  return settled.covered
end

local function importUser(at)
  local userId = asked[at + IMPORTED_USER.userId]
  local detail = (at / IMPORTED_USER.size) * IMPORT_DETAIL.size
  for i = 1, IMPORT_DETAIL.size do details[detail + i] = false end
  if not beginUser(userId, at) then return report(out, OUTCOME.erasing) end
  local due = dueOf(user, rules)
  if due <= context.seconds then return report(out, whyDue(user, due, context.seconds)) end
  local profile = asked[at + IMPORTED_USER.profile] and cjson.decode(asked[at + IMPORTED_USER.profile])
  local calendar, missingZone = findCalendar(calendars, user, profile, rules, context.seconds)
  if not calendar then return report(out, OUTCOME.zoneNeeded, missingZone) end
  if not adds and hasOwnEvents(user) then return report(out, OUTCOME.refused, REFUSED.hasEvents, false) end
  local today, streak = calendar.periods[FREQUENCY.daily], asked[at + IMPORTED_USER.streak]
  if streak and streak[IMPORTED_STREAK.zone] ~= calendar.zone then
    return report(out, OUTCOME.zoneNeeded, calendar.zone)
  end
  if streak and streak[IMPORTED_STREAK.lastDay] > today then
    return report(out, OUTCOME.futureStreak)
  end
  local former = streak and not adds and replacedStreak(user, streak, rules.streak.frequency)
  local replaced = asked[at + IMPORTED_USER.replaced]
  if former and (not replaced or replaced[REPLACED_STREAK.sequence] ~= user.sequence) then
    local lastPeriod, extendedAt = former[IMPORTED_STREAK.lastPeriod], former[IMPORTED_STREAK.extendedAt]
    return report(out, OUTCOME.streakKnown, user.sequence, lastPeriod, extendedAt)
  end
  local refusal, changed = applyProfile(user, profile, asked[at + IMPORTED_USER.profileHash], now, today)
  if refusal then return report(out, refusal) end
  local preferences = asked[at + IMPORTED_USER.preferences]
  if preferences and setPreferences(cjson.decode(preferences)) then changed = true end
  if setSilence(at) then changed = true end
  settleStreaks(user, calendar, rules, context.seconds)
  if not setValues(at, calendar) and not changed and not user.isNew then
    return report(out, OUTCOME.unchanged)
  end
  details[detail + IMPORT_DETAIL.covered] = evaluateUser(userId, calendar)
end

for at = 0, #asked - 1, IMPORTED_USER.size do importUser(at) end

finishMoves(context)
local reply = encode(out)
if anyRecorded then
  call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.importUsers, ENTRY.tenant, tenant, ENTRY.now, ARGV[3],
    ENTRY.asked, ARGV[4], ENTRY.details, encode(details), ENTRY.outcomes, reply)
end
return reply
