--- @include "anniversaryDay"
--- @include "periodEnds"
--- @include "matches"
--- @include "notices"
--- @include "timeOf"
--- @include "userState"

-- Grants the freezes that are earned every so many local days after the first extension of the streak.
-- Freezes beyond the maximum are not kept for later. With `withhold`, none is granted; only the day moves on.
-- Returns the number of freezes earned.
local function earnFreezes(user, freezes, day, withhold)
  if not freezes.every or open(user).freezeDay == 0 then return 0 end
  local times = floor((day - user.freezeDay) / freezes.every)
  if times <= 0 then return 0 end
  openToChange(user)
  user.freezeDay = user.freezeDay + times * freezes.every
  local room = math.max(0, freezes.max - user.freezes)
  local earned = withhold and 0 or math.min(room, times * freezes.amount)
  user.freezes = user.freezes + earned
  return earned
end

-- Returns the start of a local day. If the calendar does not reach that far, the start of an earlier day: the
-- user is then scheduled again.
local function startOf(calendar, day)
  return endOf(calendar, FREQUENCY.daily, day - 1)
end

local function mayAward(timer, user)
  local total = user.points[timer.system] or 0
  if timer.points < 0 then return total > 0 end
  return not timer.max or total < timer.max
end

-- Returns when a time trigger fires next.
local function nextTick(timer, user, calendar, seconds)
  if timer.hourly then return (floor(math.max(seconds, timer.from) / timer.every) + 1) * timer.every end
  local day = math.max(calendar.periods[FREQUENCY.daily], open(user).settledDay)
  return startOf(calendar, (floor(day / timer.every) + 1) * timer.every)
end

-- Returns the start of the day of the user's next anniversary. If the calendar does not reach that far, an
-- instant at most two days earlier: the user is then scheduled again.
local function nextAnniversary(anniversaries, user, calendar)
  local date, due = open(user).signUpDate, DUE.never
  if not date then return due end
  local known = calendar.periods[FREQUENCY.daily] + 1 + CALENDAR.periodsAround
  for _, rule in ipairs(anniversaries) do
    if not user.achievements[rule.no] and matchesUser(rule.users, user) then
      local day = anniversaryDay(date, rule.years)
      due = math.min(due, day > known and (day - 1) * 86400 or startOf(calendar, day))
    end
  end
  return due
end

-- Returns the next instant after `seconds` at which settling changes something or must look again.
local function nextDue(user, calendar, rules, seconds)
  local due, time, f = DUE.never, timeOf(rules), rules.streak.frequency
  -- Also while streaks are switched off: a streak goes on when they are switched on again.
  if open(user).streak[(f - 1) * STREAK.size + STREAK.length] > 0 then due = deadlineOf(user, calendar, f) end
  local freezes = time.freezes
  if freezes.every and freezes.amount > 0 and open(user).freezes < freezes.max and user.freezeDay > 0 then
    -- A user who has moved may be on that day already.
    due = math.min(due, startOf(calendar, user.freezeDay + freezes.every))
  end
  for _, timer in ipairs(time.timers) do
    if mayAward(timer, user) and matchesUser(timer.users, user) then
      due = math.min(due, nextTick(timer, user, calendar, seconds))
    end
  end
  if #time.anniversaries > 0 then due = math.min(due, nextAnniversary(time.anniversaries, user, calendar)) end
  return math.max(math.min(due, nextNotice(user, calendar, rules, seconds)), seconds + 1)
end

-- Returns when the user is to be settled next, and whether only newer time rules ask for that; then the
-- instant is the one at which they came into force.
local function dueOf(user, rules)
  local time = timeOf(rules)
  if user.isNew or user.rulesVersion >= time.version or user.due <= time.since then return user.due, false end
  return time.since, true
end

-- Sets what a new user begins with. Time is settled up to today.
local function beginTime(user, rules, calendar)
  local freezes = timeOf(rules).freezes
  user.freezes, user.settledDay = math.min(freezes.initial, freezes.max), calendar.periods[FREQUENCY.daily]
end

-- Sets when the user is due next. Call it once everything that was due has been done.
local function schedule(user, calendar, rules, seconds)
  local time, day = timeOf(rules), calendar.periods[FREQUENCY.daily]
  if time.daily and open(user).settledDay < day then
    openToChange(user).settledDay = day
  end
  user.due = nextDue(user, calendar, rules, seconds)
end
