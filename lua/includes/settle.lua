-- What settling needs of the rules, seldom enough to stay JSON until somebody asks (ScriptTime).
local function timeOf(rules)
  if type(rules.time) == 'string' then rules.time = cjson.decode(rules.time) end
  return rules.time
end

local function firstDayOfMonth(month)
  local year, m = 1970 + floor(month / 12), month % 12 + 1
  -- Counted in years that begin in March, so that the leap day comes last.
  if m <= 2 then year = year - 1 end
  local dayOfYear = floor((153 * ((m + 9) % 12) + 2) / 5)
  return 365 * year + floor(year / 4) - floor(year / 100) + floor(year / 400) + dayOfYear - 719468
end

-- First and last day of a period.
local function daysOf(f, period)
  if f == 1 then return period, period end
  if f == 2 then return period * 7 - 3, period * 7 + 3 end
  return firstDayOfMonth(period), firstDayOfMonth(period + 1) - 1
end

local function isPaused(user, f, period)
  local pauses = user.pauses
  if not pauses then return false end
  local first, last = daysOf(f, period)
  for i = 1, #pauses, 3 do
    if pauses[i + 1] <= last and pauses[i + 2] >= first then return true end
  end
  return false
end

local function lose(streak, base)
  streak[base + 5], streak[base + 1], streak[base + 6] = streak[base + 1], 0, 0
end

-- Brings the streaks up to `seconds`. A period missed as a whole is free when it was paused, costs a freeze when there is one
-- left (only the streak in force uses them), and else ends the streak. Puts what it did to the streak in force into `settled`:
-- lost, earned, covered { period, 1 by a freeze or 2 by a pause, … }; of what was missed before it came into force, nothing, as
-- the user may have been brought up to then at any time.
-- Answers whether anything changed that shows: of the streak in force.
local function settle(user, calendar, rules, seconds, settled)
  local streak, shows, inForce = open(user).streak, false, rules.streak.frequency
  local wasInForce = user.frequency == inForce
  if not wasInForce then openToChange(user).frequency = inForce end
  for f = 1, 3 do
    local base = (f - 1) * STREAK_VALUES
    while streak[base + 1] > 0 and deadlineOf(user, calendar, f) <= seconds do
      local missed, isInForce = streak[base + 3] + 1, f == inForce and wasInForce
      local covered = isPaused(user, f, missed) and 2 or isInForce and user.freezes > 0 and 1
      if covered then
        if covered == 1 then user.freezes = user.freezes - 1 end
        streak[base + 3] = missed
      else
        lose(streak, base)
      end
      if settled and isInForce then
        if covered then
          settled.covered[#settled.covered + 1] = missed
          settled.covered[#settled.covered + 1] = covered
        else
          settled.lost = streak[base + 5]
        end
      end
      openToChange(user)
      shows = shows or f == inForce
    end
  end
  return shows
end

-- Freezes come every so many local days after the user's first one. What would be more than the maximum is not kept for later.
-- Answers how many came; none with `withhold`, which only moves the day on.
local function earnFreezes(user, freezes, day, withhold)
  local times = freezes.every and floor((day - open(user).freezeDay) / freezes.every) or 0
  if times <= 0 then return 0 end
  openToChange(user)
  user.freezeDay = user.freezeDay + times * freezes.every
  local room = math.max(0, freezes.max - user.freezes)
  local earned = withhold and 0 or math.min(room, times * freezes.amount)
  user.freezes = user.freezes + earned
  return earned
end

-- The start of a local day that has not begun; of a far one, an earlier day at whose start it is looked at again.
local function startOf(calendar, day)
  return endOf(calendar, 1, day - 1)
end

local function mayAward(timer, user)
  local total = user.points[timer.system] or 0
  if timer.points < 0 then return total > 0 end
  return not timer.max or total < timer.max
end

-- The next instant after `seconds` at which settling changes something, or at which that is known better.
local function nextDue(user, calendar, rules, seconds)
  local due, time, day = NEVER, timeOf(rules), calendar.periods[1]
  local f = rules.streak.frequency
  if rules.streak.enabled and open(user).streak[(f - 1) * STREAK_VALUES + 1] > 0 then due = deadlineOf(user, calendar, f) end
  local freezes = time.freezes
  if freezes.every and freezes.amount > 0 and open(user).freezes < freezes.max then
    due = math.min(due, startOf(calendar, math.max(user.freezeDay + freezes.every, day + 1)))
  end
  for _, timer in ipairs(time.timers) do
    if mayAward(timer, user) and matchesUser(timer.users, user) then
      if timer.hourly then
        due = math.min(due, (floor(math.max(seconds, timer.from) / timer.every) + 1) * timer.every)
      else
        due = math.min(due, startOf(calendar, (floor(math.max(day, user.settledDay) / timer.every) + 1) * timer.every))
      end
    end
  end
  return math.max(due, seconds + 1)
end

-- When the user is to be settled next, and whether only to be looked at: by newer rules of time than those of the last change, as of
-- the instant at which they came into force.
local function dueOf(user, rules)
  local time = timeOf(rules)
  if user.isNew or user.stampVersion >= time.version or user.due <= time.since then return user.due, false end
  return time.since, true
end

-- To be called when all that was due has been done: what comes next is counted from here.
local function schedule(user, calendar, rules, seconds)
  local time, day = timeOf(rules), calendar.periods[1]
  if user.isNew then
    user.freezes, user.freezeDay, user.settledDay = math.min(time.freezes.initial, time.freezes.max), day, day
  elseif time.daily and open(user).settledDay < day then
    openToChange(user).settledDay = day
  end
  user.due = nextDue(user, calendar, rules, seconds)
end

-- The streak of the frequency in force: length, first day, last period.
local function streakInForce(user, rules)
  local streak, base = open(user).streak, (rules.streak.frequency - 1) * STREAK_VALUES
  return streak[base + 1], streak[base + 2], streak[base + 3]
end

local function settledStreak(user, rules, calendar, seconds)
  settle(user, calendar, rules, seconds)
  return streakInForce(user, rules)
end
