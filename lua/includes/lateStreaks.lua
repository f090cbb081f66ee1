--- @include "periodEnds"
--- @include "extendStreak"
--- @include "userState"

-- Streaks after an event of the past. The event extends an open period as any event does. Its effect on a
-- period that is over depends on later periods. The state does not have them, so the server computes the
-- effect from the history (src/rules/lateStreaks.ts), and the script applies it (REPAIR).

-- Whether, by the state, the streak of a frequency was extended in a period with this calendar.
local function isKnownExtended(user, f, calendar, period)
  local base = (f - 1) * STREAK.size
  local seconds = user.streak[base + STREAK.extendedAt] / 1000
  return user.streak[base + STREAK.lastPeriod] == period
    and seconds >= endOf(calendar, f, period - 1) and seconds < endOf(calendar, f, period)
end

-- Whether the event may change the streak of a period that is over.
local function mayRepair(user, rules, atCalendar, calendar)
  if #conditionsOf(user, rules.streak, rules.metric) == 0 then return false end
  for f = FREQUENCY.daily, FREQUENCY.monthly do
    local period = atCalendar.periods[f]
    if period ~= calendar.periods[f] and not isKnownExtended(user, f, atCalendar, period) then return true end
  end
  return false
end

-- Extends the streaks of open periods. Returns whether the streak in force was extended.
local function extendOpenPeriods(user, rules, atCalendar, calendar, value, at)
  local streak, kept = openToChange(user).streak, {}
  for f = FREQUENCY.daily, FREQUENCY.monthly do
    if atCalendar.periods[f] ~= calendar.periods[f] then
      local last = (f - 1) * STREAK.size + STREAK.lastPeriod
      kept[last], streak[last] = streak[last], math.huge
    end
  end
  local extended = extendStreak(user, rules.streak, atCalendar, rules.metric, value, at)
  for last, period in pairs(kept) do streak[last] = period end
  return extended
end

-- Sets streaks and freezes to the values that the server has computed.
local function repairStreaks(user, repair)
  local streak, repaired = openToChange(user).streak, repair[REPAIR.streaks]
  for f = FREQUENCY.daily, FREQUENCY.monthly do
    local values, base = repaired[f], (f - 1) * STREAK.size
    if values then
      local last = values[REPAIRED.lastPeriod]
      if last ~= streak[base + STREAK.lastPeriod] then streak[base + STREAK.slack] = 0 end
      streak[base + STREAK.length] = values[REPAIRED.length]
      streak[base + STREAK.firstDay] = values[REPAIRED.firstDay]
      streak[base + STREAK.lastPeriod] = last
      streak[base + STREAK.extendedAt] = values[REPAIRED.extendedAt]
      streak[base + STREAK.lostLength] = values[REPAIRED.lostLength]
      streak[base + STREAK.lostFirstDay] = values[REPAIRED.lostFirstDay]
    end
  end
  user.freezes, user.freezeDay = repair[REPAIR.freezes], repair[REPAIR.freezeDay]
end

-- Returns the number of lengths that are multiples of `of`.
local function countMultiples(lengths, of)
  local count = 0
  for i = 1, #lengths do
    if lengths[i] % of == 0 then count = count + 1 end
  end
  return count
end

-- Lets each streak trigger award the lengths that the repaired streak has gained, less those that it has
-- dropped. Takes no award back.
local function prepareStreakAwards(rules, repair)
  for _, system in ipairs(rules.points) do
    for _, trigger in ipairs(system.triggers) do
      if trigger.on == TRIGGER.streak then
        local gained = countMultiples(repair[REPAIR.gained], trigger.of)
        local times = math.max(0, gained - countMultiples(repair[REPAIR.dropped], trigger.of))
        trigger.on, trigger.points = TRIGGER.given, trigger.points * times
      end
    end
  end
end
