--[[
Settles users: streaks that end or are covered, freezes that are earned, points that time triggers award,
blocks that end. Each thing happens at the instant at which it is due and not later, so the result does not
depend on when the script is called. A user who is not due at the instant is left alone, so the script may be
called any number of times.

KEYS[1]  outbox of the cell
KEYS[2]  due users of the cell
KEYS[3]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  version of the rules
ARGV[3]  now, ms: the instant
ARGV[4]  users, one flat msgpack array of DUE_USER: userId
ARGV[5]  greatest number of steps, which bounds how long Redis is busy. Users beyond it must come again
ARGV[6]  horizons, seconds since 1970, msgpack array HORIZON: for all users, then one for each of the
         calendars. A user due again before both are reached is settled on at once
ARGV[7]  calendars at the instant, msgpack values one after the other (ScriptCalendar)
ARGV[8]  rules of time, then rules of a user who returns to all leaderboards, msgpack values one after the
         other (ScriptRules)
ARGV[9]  least number of an arrival on a leaderboard; 0 unless tenants are spread over cells

Reply    nil if there are newer rules (nothing was done); else one flat msgpack array of SETTLE_REPLY for each
         user: due (when to settle the user next, seconds since 1970), missingZone (zone whose calendar is
         missing: nothing was done)|false
Outbox   one entry { ENTRY.format, ENTRY.tenant, ENTRY.now, ENTRY.asked, ENTRY.outcomes } if anything
         happened. `asked` is a flat msgpack array of SETTLED_AT for each time that something happened to a
         user: userId, at. `outcomes` has a report for each of them: that of OUTCOME.recorded (recordEvents)
         as OUTCOME.settled, followed by SETTLED: lost, earned, freezes, coveredCount, noticeCount, then for
         each COVERED: period, by, length; then for each NOTICE: kind (NOTICE_KIND), frequency, period, count,
         and that many numbers. The notices of achievements have their numbers, those of reactivation the
         number of the message and the days without an event
]]
--- @include "blockUser"
--- @include "calendars"
--- @include "evaluate"
--- @include "findCalendar"
--- @include "hideUser"
--- @include "importHold"
--- @include "isStale"
--- @include "keptHistory"
--- @include "nothing"
--- @include "rankMoves"
--- @include "schedule"
--- @include "userState"

local dueKey, prefix, tenant, version, now = KEYS[2], KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local stepsMax = tonumber(ARGV[5])
local leastArrival = tonumber(ARGV[9])
if isStale(prefix, version, leastArrival > 0) then return nil end

local users = decode(ARGV[4])
local horizons, calendars = decode(ARGV[6]), readCalendars(ARGV[7], prefix)
local afterRules, rules = cmsgpack.unpack_one(ARGV[8])
local lastHorizon = horizons[HORIZON.everybody]
for i = 1, #calendars do
  calendars[i].horizon = math.min(lastHorizon, horizons[HORIZON.everybody + i] or lastHorizon)
end
local context = newContext(tenant, dueKey, prefix, version, now, stepsMax, leastArrival)
local first = context.seconds
local change, user, happened, reply = {}, {}, {}, {}
-- What the call adds to the sets of due users and of all users, with one command each.
local dues, hours = {}, {}

local function evaluateAs(settling, calendar, applied)
  change.settling = settling
  local before, n = #context.out, #happened
  evaluate(context, user, applied, calendar, change)
  if #context.out == before then return end
  happened[n + SETTLED_AT.userId], happened[n + SETTLED_AT.at] = context.userId, context.seconds
  if user.keepsHistory then noteChange(context, user, false) end
end

-- Ends the block of the user, who returns to all rankings.
local function endBlock(calendar)
  finishMoves(context)
  context.defersMoves = false
  -- Decoded for each user, because the preparation changes them.
  local _, shown = cmsgpack.unpack_one(ARGV[8], afterRules)
  prepareAbsence(user, shown, BOARD.blocked, false, false)
  evaluateAs(SETTLING.unblock, calendar, shown)
end

-- Settles the user at one instant. The moves on rankings of users who are due at the first instant are
-- written together; any later step writes and reports its own.
local function step(calendar, seconds, isReview)
  context.defersMoves = seconds == first and not isReview
  if not context.defersMoves then finishMoves(context) end
  context.now, context.seconds, context.index = seconds * 1000, seconds, context.index + 1
  evaluateAs(isReview and SETTLING.review or SETTLING.due, calendar, rules)
  local till = endOfBlock(user)
  if till and till <= seconds then endBlock(calendar) end
  scheduleBlock(user)
end

-- Settles the user at the first instant, and on up to the horizon of the calendar.
local function settleOn(calendar, isReview)
  local seconds = first
  repeat
    step(calendar, seconds, isReview)
    seconds, isReview = user.due, false
  until seconds >= calendar.horizon or context.index >= stepsMax
  writeBlock(context, user)
  writeUser(context, user, dues, hours)
end

-- Users who reach the same score at the same instant rank in the order of this list. So once one of them must
-- come again, all later ones must, too.
local mustWait = false

-- Returns when to settle the user next, and the zone whose calendar is missing.
local function settleUser(userId)
  if context.index >= stepsMax then return first, false end
  if not readUser(user, prefix, userId, true) then
    writeDue(dueKey, tenant, userId, DUE.never)
    return DUE.never, false
  end
  local held = endOfHold(user)
  readBlock(user)
  local due, isReview = dueOf(user, rules)
  if held then due, isReview = held, false end
  if due ~= first then
    writeDue(dueKey, tenant, userId, due)
    return due, false
  end
  local calendar, missingZone = findCalendar(calendars, user, false, rules, first)
  if mustWait or missingZone then
    mustWait = true
    return due, missingZone or calendar.zone
  end
  context.userId = userId
  settleOn(calendar, isReview)
  return math.abs(user.due), false
end

for at = 0, #users - 1, DUE_USER.size do
  local due, missingZone = settleUser(users[at + DUE_USER.userId])
  local n = #reply
  reply[n + SETTLE_REPLY.due], reply[n + SETTLE_REPLY.missingZone] = due, missingZone
end

finishMoves(context)
if #dues > 0 then call('ZADD', dueKey, unpack(dues)) end
if #hours > 0 then call('ZADD', prefix .. TENANT_KEY.seen(), unpack(hours)) end
if #happened > 0 then
  local entryId = call('XADD', KEYS[1], '*', ENTRY.format, ENTRY_FORMAT.settleUsers, ENTRY.tenant, tenant,
    ENTRY.now, ARGV[3], ENTRY.asked, encode(happened), ENTRY.outcomes, encode(context.out))
  keepNotes(context, entryId)
end
return encode(reply)
