--- @include "periodEnds"
--- @include "daysOff"
--- @include "firstDayOfMonth"
--- @include "userState"

-- First and last day of a period.
local function daysOf(f, period)
  if f == FREQUENCY.daily then return period, period end
  if f == FREQUENCY.weekly then return period * 7 - 3, period * 7 + 3 end
  return firstDayOfMonth(period), firstDayOfMonth(period + 1) - 1
end

local function isPaused(user, f, period)
  local pauses = user.pauses
  if not pauses then return false end
  local first, last = daysOf(f, period)
  for at = 0, #pauses - 1, PAUSE.size do
    if pauses[at + PAUSE.firstDay] <= last and pauses[at + PAUSE.lastDay] >= first then return true end
  end
  return false
end

local function loseStreak(streak, base)
  streak[base + STREAK.lostLength] = streak[base + STREAK.length]
  streak[base + STREAK.lostFirstDay] = streak[base + STREAK.firstDay]
  streak[base + STREAK.length], streak[base + STREAK.slack] = 0, 0
end

-- Ends the streaks of all frequencies.
local function loseStreaks(user)
  local streak = openToChange(user).streak
  for base = 0, #streak - 1, STREAK.size do
    if streak[base + STREAK.length] > 0 then loseStreak(streak, base) end
  end
end

-- Settles the first missed period of a streak: a pause covers it for free. In the streak in force, so does a
-- day off, and a freeze is used up. Returns COVERED_BY; nil if the streak is lost.
local function settlePeriod(user, rules, f, base, missed, isInForce)
  local streak, by = openToChange(user).streak, nil
  if isPaused(user, f, missed) then
    by = COVERED_BY.pause
  elseif isInForce and isDayOff(daysOffOf(user, rules.streak), missed) then
    by = COVERED_BY.dayOff
  elseif isInForce and user.freezes > 0 then
    by = COVERED_BY.freeze
    user.freezes = user.freezes - 1
  end
  if by then
    streak[base + STREAK.lastPeriod] = missed
  else
    loseStreak(streak, base)
  end
  return by
end

local function recordSettledPeriod(settled, missed, by, streak, base)
  if not by then
    settled.lost = streak[base + STREAK.lostLength]
    return
  end
  local covered = settled.covered
  local n = #covered
  covered[n + COVERED.period], covered[n + COVERED.by] = missed, by
  covered[n + COVERED.length] = streak[base + STREAK.length]
end

-- Puts the streak of another frequency in force. The history may have periods of an earlier time, but none
-- since then.
local function beginFrequency(user, calendar, f)
  if openToChange(user).frequency ~= 0 then
    --- @include "replacePeriods"
    user.periodsFrom, user.recentPeriods = 0, ''
    forgetPeriods(user, calendar, f)
    user.recordedFrom = user.periodsFrom
  end
  user.frequency = f
end

-- Settles all streaks up to `seconds`. Only the streak in force has days off and uses freezes. Adds the
-- changes of the streak in force to `settled`, if given: length lost, covered periods (flat list of COVERED),
-- whether a streak of another frequency comes into force. Such a streak adds nothing else: the user may have
-- been settled up to then at any time. Returns whether the streak in force changed.
local function settleStreaks(user, calendar, rules, seconds, settled)
  local streak, inForce, shows = open(user).streak, rules.streak.frequency, false
  local wasInForce = user.frequency == inForce
  if not wasInForce then beginFrequency(user, calendar, inForce) end
  if settled then settled.comesIntoForce = not wasInForce end
  for f = FREQUENCY.daily, FREQUENCY.monthly do
    local base, isInForce = (f - 1) * STREAK.size, f == inForce
    while streak[base + STREAK.length] > 0 and deadlineOf(user, calendar, f) <= seconds do
      local missed = streak[base + STREAK.lastPeriod] + 1
      local by = settlePeriod(user, rules, f, base, missed, isInForce and wasInForce)
      if settled and isInForce and wasInForce then
        recordSettledPeriod(settled, missed, by, streak, base)
      end
      shows = shows or isInForce
    end
  end
  return shows
end

-- Returns length, first day, last period and days off of the streak in force. The length is 0 while streaks
-- are switched off.
local function streakInForce(user, rules)
  local streak, base = open(user).streak, (rules.streak.frequency - 1) * STREAK.size
  local length = rules.streak.enabled and streak[base + STREAK.length] or 0
  local daysOff = daysOffOf(user, rules.streak)
  return length, streak[base + STREAK.firstDay], streak[base + STREAK.lastPeriod], daysOff
end
