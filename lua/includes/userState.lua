--- @include "decimal"

-- A user's state is a hash of two msgpack strings, each a list of values (USER_HOT and USER_COLD of
-- src/redis/layouts). Every event reads and writes the hot part; most events leave the cold
-- part alone.
--
-- hot:   sequence  number of changes so far
--        tz        time zone; false without one
--        rulesVersion  version of the rules of the last change
--        fastPathDay, fastPathMetric  local day and metric whose next events take the fast path: they can
--                  only change counters and what follows from them, because the streak is extended in all its
--                  periods and every achievement that was due is completed. Valid for rulesVersion only.
--        streakLength, streakFirstDay, streakLastPeriod, streakDaysOff  of the streak in force (days off:
--                  see daysOff.lua); valid for rulesVersion only
--        profileHash  of the last applied profile
--        counters  sums by counter number
--        peaks     by counter number, of counters that stand below their peak; false if none does
--        points    totals by number of the points system
--        boards    flat list of BOARD_ENTRY: leaderboard, first day of its run, score, ticket ('' while the
--                  user is not on the ranking, TICKET.hidden while the user is hidden from it)
--        seen      hours since 1970 of the last change
--        due       seconds since 1970: the next instant at which settling changes something, or DUE.never
--        guards    false, or by metric what its guards look at of GUARD_STATE
--        hasFormerKeys  whether the user has used idempotency keys under a former id
--        keepsHistory   whether Redis may keep the latest history of the user (keptHistory.lua)
--        challenges  false, or the latest runs of challenges (challengeRuns.lua)
--        boosts    false, or flat list of USER_BOOST: those of challenges (giveBoosts.lua)
-- cold:  created, updated  ms since 1970
--        PROFILE: the fields of src/contract/user.ts; false for one that is not set (tz: in the hot part)
--        control, attributes (by number)
--        streak    flat list of STREAK for daily, weekly, monthly: length, first day, last period extended or
--                  covered, extended at (ms), length lost, slack (seconds that an earlier zone grants, see
--                  calendars.lua)
--        progress  for each frequency false or PROGRESS: period and sums by metric, while its conditions are
--                  not met
--        achievements  instant of the completion (ms), by number; negative: instant of the revocation
--        freezes   number left
--        freezeDay  local day up to which freezes have been earned; 0 before the streak's first extension
--        settledDay  last local day whose daily time triggers have fired
--        pauses    flat list of PAUSE; false without any
--        preferences   false, or the preferences of the user, by name (ScriptPreferences)
--        frequency of the streak in force when the streaks were settled last; 0 before that
--        activeDay  last local day with an event, while recaps or reactivation are wanted; 0 before that
--        achievementNotice  false, or ACHIEVEMENT_NOTICE followed by the numbers of the achievements that
--                  wait for the notice (notices.lua)
--        imported  false, or what an import set (importValues.lua)
--        rewarded  flat list of REWARDED; false without any
--        pastImport  false, or the import that brought the user's past: its number once the user is done,
--                  else, or if it refused events, PAST_TOKEN
--        formerGroups  flat list of FORMER_GROUP; false without any (formerGroups.lua)
--        formerPlaces  false, or flat list of FORMER_PLACE by number of the leaderboard (formerPlaces.lua)
--        marks     false, or what counters remember beside a total, by counter number (countMarked.lua)
--        repeats   false, or REPEATS by number of the achievement (completeRepeated.lua)
--        messagesFrom  ms since 1970: before that, an imported user gets no messages; 0 for others
--        periodsFrom, recentPeriods  the latest periods of the streak in force, complete from a period on
--                  (recentPeriods.lua)
--        recordedFrom  from this period on, the history has the streak in force
--        formerChallenges  false, or the runs of challenges before the latest ones
--        challengeCompletions  false, or by number of the challenge how many of its runs were completed
--
-- One table serves all users of a call, one after the other: a table for each would be most of what a call
-- allocates.

-- Makes `user` a new user. readUser has set the key.
local function resetUser(user, now, control)
  user[PROFILE.all] = PROFILE.falses
  user.subscribeToEmails = true
  user.sequence, user.profileHash, user.seen, user.isNew = 0, 0, 0, true
  user.due, user.dueBefore = DUE.never, DUE.never
  user.rulesVersion, user.fastPathDay, user.fastPathMetric = 0, 0, 0
  user.streakLength, user.streakFirstDay, user.streakLastPeriod, user.streakDaysOff = 0, 0, 0, 0
  user.counters, user.peaks, user.points, user.boards = {}, false, {}, {}
  user.guards, user.hasFormerKeys, user.keepsHistory, user.challenges = false, false, false, false
  user.boosts = false
  user.isOpen, user.coldChanged = true, true
  user.created, user.updated, user.control, user.attributes = now, now, control, {}
  user.streak = { STREAK.zeros, STREAK.zeros, STREAK.zeros }
  user.progress, user.achievements = { false, false, false }, {}
  user.freezes, user.freezeDay, user.settledDay, user.pauses = 0, 0, 0, false
  user.preferences, user.frequency, user.activeDay, user.achievementNotice = false, 0, 0, false
  user.imported, user.rewarded, user.pastImport = false, false, false
  user.formerGroups, user.formerPlaces, user.marks, user.repeats = false, false, false, false
  user.messagesFrom = 0
  user.periodsFrom, user.recentPeriods, user.recordedFrom = 0, '', 0
  user.formerChallenges, user.challengeCompletions = false, false
end

-- Reads the cold part, or takes it from `cold`, unless that has been done. Returns the user.
local function open(user, cold)
  if user.isOpen then return user end
  user.isOpen = true
  user[USER_COLD.all] = decode(cold or call('HGET', user.key, USER_PART.cold))
  return user
end

-- Reads the hot part of a user into `user`; with `isWhole` both parts, by one command. Returns false if the
-- user does not exist.
local function readUser(user, prefix, userId, isWhole)
  user.key, user.attributesBefore = prefix .. TENANT_KEY.user(userId), nil
  user.hasNewSignUp = nil
  local hot, cold
  if isWhole then
    hot, cold = unpack(call('HMGET', user.key, USER_PART.hot, USER_PART.cold))
  else
    hot = call('HGET', user.key, USER_PART.hot)
  end
  if not hot then return false end
  user.isNew, user.isOpen, user.coldChanged = false, false, false
  user[USER_HOT.all] = decode(hot)
  user.dueBefore = user.due
  if cold then open(user, cold) end
  return true
end

-- Reads the cold part before a change of it. Returns the user.
local function openToChange(user)
  open(user)
  user.coldChanged = true
  return user
end

-- Sets the score of a member of a sorted set. With `deferred` (list of ADDED), the caller does so later, for
-- many members at once.
local function setScore(key, score, member, deferred)
  if not deferred then return call('ZADD', key, decimal(score), member) end
  local n = #deferred
  deferred[n + ADDED.score], deferred[n + ADDED.member] = decimal(score), member
end

-- The tenants of a cell share the due set, so a sweep looks at one set for each cell.
local function writeDue(dueKey, tenant, userId, due, deferred)
  if due == DUE.never then
    call('ZREM', dueKey, KEY.dueMember(tenant, userId))
  else
    setScore(dueKey, due, KEY.dueMember(tenant, userId), deferred)
  end
end

-- Writes the user, the due set, and the registry of users, which counts in hours, so that most events do not
-- write it. `dues` and `hours`: lists to which a call defers scores of these two sets (setScore), or nil.
local function writeUser(context, user, dues, hours)
  local userId = context.userId
  local hour = floor(context.now / 3600000)
  if user.seen ~= hour then
    user.seen = hour
    setScore(context.prefix .. TENANT_KEY.seen(), hour, userId, hours)
  end
  if user.due ~= user.dueBefore then
    writeDue(context.dueKey, context.tenant, userId, user.due, dues)
    user.dueBefore = user.due
  end
  local hot = encode(user[USER_HOT.all])
  if user.coldChanged then
    user.coldChanged = false
    call('HSET', user.key, USER_PART.hot, hot, USER_PART.cold, encode(user[USER_COLD.all]))
  else
    call('HSET', user.key, USER_PART.hot, hot)
  end
end
