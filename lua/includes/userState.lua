-- A user's state is one string of msgpack values one after the other, in the order of `writeUser` (also read by
-- src/redis/userState.ts): a hot part that every event reads and writes, and a cold part that most events carry along
-- unopened.
-- hot:   peaks    of counters that stand below their peak; false when none does
--        boards   flat: leaderboard, first day of its run, score, ticket ('' while not on the board), …
--        stamp    rules version, day and metric of an event after which nothing but counters can differ at the next one: the
--                 streak is extended in all its periods and every achievement that is due is complete
--        shown    the streak in force: length, first day, last extended period; valid while the stamp is
-- cold:  streak   for each of daily, weekly, monthly: length, first day, last extended period, extended at (ms), length lost
--        progress for each of them false or { period, sums by metric }, only while its conditions are not met
--        achievements  when each was completed (ms), by no

local HOT_VALUES = 14
local STREAK_VALUES = 5
local BOARD_VALUES = 4

local function newUser(now, control)
  return {
    sequence = 0, tz = false, stampVersion = 0, stampDay = 0, stampMetric = 0, shownLength = 0, shownFirstDay = 0,
    shownLastPeriod = 0, profileHash = 0, counters = {}, peaks = false, points = {}, boards = {}, seen = 0,
    isOpen = true, created = now, updated = now, name = false, email = false, subscribeToEmails = true, control = control,
    deviceTokens = false, attributes = {}, streak = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
    progress = { false, false, false }, achievements = {}, isNew = true,
  }
end

local function readUser(prefix, userId)
  local packed = call('GET', prefix .. 'u:' .. userId)
  if not packed then return nil end
  local coldAt, sequence, tz, stampVersion, stampDay, stampMetric, shownLength, shownFirstDay, shownLastPeriod, profileHash,
    counters, peaks, points, boards, seen = cmsgpack.unpack_limit(packed, HOT_VALUES)
  return {
    sequence = sequence, tz = tz, stampVersion = stampVersion, stampDay = stampDay, stampMetric = stampMetric,
    shownLength = shownLength, shownFirstDay = shownFirstDay, shownLastPeriod = shownLastPeriod,
    profileHash = profileHash, counters = counters, peaks = peaks, points = points, boards = boards, seen = seen,
    cold = string.sub(packed, coldAt + 1), isOpen = false, isNew = false,
  }
end

-- Makes the fields of the cold part readable.
local function open(user)
  if user.isOpen then return user end
  user.isOpen = true
  user.created, user.updated, user.name, user.email, user.subscribeToEmails, user.control, user.deviceTokens,
    user.attributes, user.streak, user.progress, user.achievements = unpack(user.cold)
  return user
end

-- The same for somebody who is going to change them.
local function openToChange(user)
  open(user)
  user.cold = nil
  return user
end

-- Also keeps the registry of users; an hour is fine enough there and spares most events a write.
local function writeUser(prefix, userId, user, now)
  user.sequence = user.sequence + 1
  local hour = math.floor(now / 3600000)
  if user.seen ~= hour then
    user.seen = hour
    call('ZADD', prefix .. 'seen', hour, userId)
  end
  local hot = pack(
    user.sequence, user.tz, user.stampVersion, user.stampDay, user.stampMetric, user.shownLength, user.shownFirstDay,
    user.shownLastPeriod, user.profileHash, user.counters, user.peaks, user.points, user.boards, user.seen)
  local cold = user.cold or pack(
    user.created, user.updated, user.name, user.email, user.subscribeToEmails, user.control, user.deviceTokens,
    user.attributes, user.streak, user.progress, user.achievements)
  call('SET', prefix .. 'u:' .. userId, hot .. cold)
end
