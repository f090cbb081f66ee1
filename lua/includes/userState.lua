-- A user's state is a hash of two msgpack strings, each values one after the other (also read by src/redis/userState.ts):
-- h, hot, which every event reads and writes, and c, cold, which most events leave alone.
-- hot:   peaks    of counters that stand below their peak; false when none does
--        boards   flat: leaderboard, first day of its run, score, ticket ('' while not on the board), …
--        stamp    rules version of the last change; day and metric of an event after which nothing but counters can differ at
--                 the next one: the streak is extended in all its periods and every achievement that is due is complete
--        shown    the streak in force: length, first day, last extended period; valid while the stamp is
--        due      seconds since 1970: the next instant at which settling changes something, NEVER when none will
-- cold:  streak   for each of daily, weekly, monthly: length, first day, last period extended or made good, extended at (ms),
--                 length lost, slack (seconds that a zone the user was in grants beyond the end of the period, see calendars.lua)
--        progress for each of them false or { period, sums by metric }, only while its conditions are not met
--        achievements  when each was completed (ms), by no
--        freezes  left; freezeDay: local day up to which they have been earned
--        settledDay  last local day whose daily time triggers are done
--        pauses   flat: id, first day, last day, …; false without any
--        preferences   false or what the user has set, by name (ScriptPreferences)
--        frequency     of the streak in force when the streaks were settled last; 0 when they never were
-- One table serves all users of a call, one after the other: a table a user would be most of what a call allocates.

local STREAK_VALUES = 6
local BOARD_VALUES = 4
local NEVER = 4294967295

-- Makes `user` a new one; its key is set by the readUser that did not find it.
local function resetUser(user, now, control)
  user.sequence, user.tz, user.profileHash, user.seen, user.isNew = 0, false, 0, 0, true
  user.due, user.dueBefore = NEVER, NEVER
  user.stampVersion, user.stampDay, user.stampMetric = 0, 0, 0
  user.shownLength, user.shownFirstDay, user.shownLastPeriod = 0, 0, 0
  user.counters, user.peaks, user.points, user.boards = {}, false, {}, {}
  user.isOpen, user.coldChanged = true, true
  user.created, user.updated, user.name, user.email, user.subscribeToEmails = now, now, false, false, true
  user.control, user.deviceTokens, user.attributes = control, false, {}
  user.streak = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
  user.progress, user.achievements = { false, false, false }, {}
  user.freezes, user.freezeDay, user.settledDay, user.pauses = 0, 0, 0, false
  user.preferences, user.frequency = false, 0
end

-- Makes `user` the one with this id; answers false when there is none.
local function readUser(user, prefix, userId)
  user.key, user.attributesBefore = prefix .. 'u:' .. userId, nil
  local hot = call('HGET', user.key, 'h')
  if not hot then return false end
  user.isNew, user.isOpen, user.coldChanged = false, false, false
  user.sequence, user.tz, user.stampVersion, user.stampDay, user.stampMetric, user.shownLength, user.shownFirstDay,
    user.shownLastPeriod, user.profileHash, user.counters, user.peaks, user.points, user.boards, user.seen, user.due = unpack(hot)
  user.dueBefore = user.due
  return true
end

-- Makes the fields of the cold part readable.
local function open(user)
  if user.isOpen then return user end
  user.isOpen = true
  user.created, user.updated, user.name, user.email, user.subscribeToEmails, user.control, user.deviceTokens,
    user.attributes, user.streak, user.progress, user.achievements, user.freezes, user.freezeDay, user.settledDay,
    user.pauses, user.preferences, user.frequency = unpack(call('HGET', user.key, 'c'))
  return user
end

-- The same for somebody who is going to change them.
local function openToChange(user)
  open(user)
  user.coldChanged = true
  return user
end

-- All tenants share the due set of a shard, so that a sweep looks at as many of them as there are shards.
local function writeDue(tenant, shard, userId, due)
  local key, member = '{' .. shard .. '}:due', tenant .. ':' .. userId
  if due == NEVER then
    call('ZREM', key, member)
  else
    call('ZADD', key, due, member)
  end
end

-- Also keeps the registry of users; an hour is fine enough there and spares most events a write.
local function writeUser(context, user)
  local userId = context.userId
  local hour = floor(context.now / 3600000)
  if user.seen ~= hour then
    user.seen = hour
    call('ZADD', context.prefix .. 'seen', hour, userId)
  end
  if user.due ~= user.dueBefore then
    writeDue(context.tenant, context.shard, userId, user.due)
    user.dueBefore = user.due
  end
  local hot = pack(
    user.sequence, user.tz, user.stampVersion, user.stampDay, user.stampMetric, user.shownLength, user.shownFirstDay,
    user.shownLastPeriod, user.profileHash, user.counters, user.peaks, user.points, user.boards, user.seen,
    user.due)
  if user.coldChanged then
    user.coldChanged = false
    call('HSET', user.key, 'h', hot, 'c', pack(
      user.created, user.updated, user.name, user.email, user.subscribeToEmails, user.control, user.deviceTokens,
      user.attributes, user.streak, user.progress, user.achievements, user.freezes, user.freezeDay, user.settledDay,
      user.pauses, user.preferences, user.frequency))
  else
    call('HSET', user.key, 'h', hot)
  end
end
