--[[
Reads or changes one user: settles, applies the change, and writes only if something changed.

KEYS[1]  outbox of the cell
KEYS[2]  due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules that the change was prepared with
ARGV[3]  now, ms
ARGV[4]  the change, msgpack array USER_CHANGE: userId, control (in the control group), profile
         (ScriptProfile, JSON)|false, profileHash, achievements|false, mayCreate, activation|false (the user
         silently gets what was activated after the user had qualified; flat list of PAST_SCORE: board,
         score), filled|false (array FILLED: sequence, isWhole, counters, repeats,
         challenges), preferences
         (ScriptPreferences, JSON)|false, amendment|false (array AMENDMENT: operation, pauseId|false,
         firstDay|false, lastDay|false), correction|false (array CORRECTION: operation, no, amount|false,
         id|false, reward|false (array REWARD))
ARGV[5]  calendars, msgpack values one after the other (ScriptCalendar)
ARGV[6]  rules, msgpack (ScriptRules)
ARGV[7]  least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else { report, hot part, cold part of the user's
         state }. The report is that of recordEvents, or OUTCOME.unchanged, OUTCOME.unknownUser, or
         OUTCOME.refused with REFUSED and its limit|false, or OUTCOME.blocked as recordEvents, or
         OUTCOME.historyNeeded if the user has another sequence number than the history. The state
         comes only with OUTCOME.recorded and OUTCOME.unchanged
Outbox   one entry { ENTRY.format, ENTRY.tenant, ENTRY.now = instantOfChange, ENTRY.asked = ARGV[4],
         ENTRY.outcomes = report } if something changed
]]
--- @include "amendStreak"
--- @include "applyPreferences"
--- @include "applyProfile"
--- @include "blockUser"
--- @include "calendars"
--- @include "decimal"
--- @include "evaluate"
--- @include "findCalendar"
--- @include "givePoints"
--- @include "importHold"
--- @include "isStale"
--- @include "keptHistory"
--- @include "nothing"
--- @include "prepareActivation"
--- @include "schedule"
--- @include "settleStreaks"
--- @include "userState"

local prefix, tenant, version, now = KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local leastArrival = tonumber(ARGV[7])
if isStale(prefix, version, leastArrival > 0) then return nil end

local asked = decode(ARGV[4])
local userId, achievements = asked[USER_CHANGE.userId], asked[USER_CHANGE.achievements]
local profile = asked[USER_CHANGE.profile] and cjson.decode(asked[USER_CHANGE.profile])
local preferences, amendment = asked[USER_CHANGE.preferences], asked[USER_CHANGE.amendment]
local correction = asked[USER_CHANGE.correction]
local rules = decode(ARGV[6])
local user = {}
if not readUser(user, prefix, userId) then
  if not asked[USER_CHANGE.mayCreate] then return { encode({ OUTCOME.unknownUser }) } end
  resetUser(user, now, asked[USER_CHANGE.control])
  local isErasing = call('SISMEMBER', prefix .. TENANT_KEY.erasing(), userId) == 1
  if isErasing then return { encode({ OUTCOME.erasing }) } end
end
local held = endOfHold(user)
if held then return { encode({ OUTCOME.due, held }) } end
readBlock(user)

-- Returns the instant of the change: now, or later if `now` is not after the last change of an achievement
-- that is completed or revoked. A completion is later than the revocation before it, so that each completion
-- has an instant of its own.
local function instantOfChange()
  if correction and correction[CORRECTION.operation] == CORRECT.revoke then
    return math.max(now, open(user).achievements[correction[CORRECTION.no]] or 0)
  end
  local instant = now
  for _, no in ipairs(achievements or NOTHING) do
    instant = math.max(instant, 1 - (open(user).achievements[no] or 1))
  end
  return instant
end

-- Returns the profile that removes one device token of the user and keeps the others; false without any.
local function withoutDeviceToken(lost)
  local tokens = open(user).deviceTokens
  if not tokens then return false end
  local kept = {}
  for _, token in ipairs(tokens) do
    if token ~= lost then kept[#kept + 1] = token end
  end
  return { deviceTokens = kept }
end

-- Returns those of the achievements that the user has not completed; false if there are none.
local function notCompleted()
  local left = {}
  for _, no in ipairs(achievements) do
    if (open(user).achievements[no] or 0) <= 0 then left[#left + 1] = no end
  end
  return #left > 0 and left
end

now = instantOfChange()
local context = newContext(tenant, KEYS[2], prefix, version, now, 1, leastArrival)
local due = dueOf(user, rules)
if due <= context.seconds then return { encode({ OUTCOME.due, due }) } end
-- The API completes no achievement of a blocked user; an administrator may.
if achievements and asked[USER_CHANGE.mayCreate] and endOfBlock(user) then
  return { encode({ OUTCOME.blocked, endOfBlock(user) }) }
end
if profile and profile.lostDeviceToken then profile = withoutDeviceToken(profile.lostDeviceToken) end
local calendars = readCalendars(ARGV[5], prefix)
local calendar, missingZone = findCalendar(calendars, user, profile, rules, context.seconds)
if missingZone then return { encode({ OUTCOME.zoneNeeded, missingZone }) } end
local today, profileHash = calendar.periods[FREQUENCY.daily], asked[USER_CHANGE.profileHash]
local refusal, changed = applyProfile(user, profile, profileHash, now, today)
if refusal then return { encode({ refusal }) } end
if preferences and applyPreferences(user, cjson.decode(preferences), now) then changed = true end
achievements = achievements and notCompleted()

if amendment then
  settleStreaks(user, calendar, rules, context.seconds)
  local reason, limit = amendStreak(user, rules, calendar, amendment)
  if reason then return { encode({ OUTCOME.refused, reason, limit or false }) } end
  changed = true
end

-- See prepareStep.
local function stepInChallenge()
  --- @include "challengeSteps"
  -- The rules of a step have its challenge only.
  local _, challenge = next(rules.challenges)
  return prepareStep(context, user, calendar, challenge, correction)
end

-- See fillChallenges.
local function fillGoals()
  --- @include "fillChallenges"
  return fillChallenges(context, user, calendar, asked[USER_CHANGE.filled][FILLED.challenges])
end

-- Carries out a correction by correctUser. Returns whether it changed anything.
local function correct()
  --- @include "correctUser"
  return correctUser(context, user, rules, calendar, correction, prefix)
end

local takeStep
if correction and correction[CORRECTION.operation] == CORRECT.adjust then
  givePoints(rules, { correction[CORRECTION.no], correction[CORRECTION.amount] })
  changed = true
elseif correction and rules.challenges then
  if endOfBlock(user) and correction[CORRECTION.operation] ~= CORRECT.completeChallenge then
    return { encode({ OUTCOME.blocked, endOfBlock(user) }) }
  end
  local reason, step = stepInChallenge()
  if reason then return { encode({ OUTCOME.refused, reason, false }) } end
  takeStep, changed = step, changed or step
elseif correction then
  local isDone = correct()
  changed = changed or isDone
  if not isDone and correction[CORRECTION.operation] == CORRECT.reward then achievements = false end
end

local filled = asked[USER_CHANGE.filled]
if filled and filled[FILLED.sequence] ~= user.sequence then
  return { encode({ OUTCOME.historyNeeded, calendar.zone }) }
end
local outcome = encode({ OUTCOME.unchanged })
local settled = settleStreaks(user, calendar, rules, context.seconds)
local past = asked[USER_CHANGE.activation]
local isActivated = past and prepareActivation(context, user, rules, calendar, userId, past, filled)
if filled and #filled[FILLED.challenges] > 0 then
  takeStep = fillGoals()
  isActivated = isActivated or takeStep
end
if user.isNew or changed or achievements or settled or isActivated then
  context.index, context.userId = 1, userId
  evaluate(context, user, rules, calendar, {
    achievements = achievements, isSilent = past and true, takeStep = takeStep,
  })
  scheduleBlock(user)
  writeBlock(context, user)
  writeUser(context, user)
  outcome = encode(context.out)
  call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.changeUser, ENTRY.tenant, tenant, ENTRY.now,
    decimal(now), ENTRY.asked, ARGV[4], ENTRY.outcomes, outcome)
  -- The ids of awards follow from the kind of the change.
  if user.keepsHistory and context.result.systems == 0 then
    noteChange(context, user, false)
    keepNotes(context)
  end
end
return { outcome, call('HGET', user.key, USER_PART.hot), call('HGET', user.key, USER_PART.cold) }
