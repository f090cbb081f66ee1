--- @include "matches"
--- @include "nothing"
--- @include "userState"

local function hasAll(achievements, requires)
  for i = 1, #requires do
    local at = achievements[requires[i]]
    if not at or at < 0 then return false end
  end
  return true
end

local function complete(user, no, now, occasion)
  openToChange(user).achievements[no] = now
  if occasion.completed == NOTHING then occasion.completed = {} end
  local completed = occasion.completed
  completed[#completed + 1] = no
  completed[-no] = true
end

local function completeOfMetrics(user, list, steady, own, occasion, now)
  local after = occasion.peaksAfter
  -- The last event counted for the metric's own counter, but perhaps not for one with a filter.
  local reached = steady and occasion.peaksBefore[own]
  for i = 1, #list do
    local rule = list[i]
    local no, value = rule.counter, rule.value
    local peak = after[no]
    if peak and peak >= value and not (reached and no == own and reached >= value) and not open(user).achievements[rule.no] and matchesUser(rule.users, user) then
      complete(user, rule.no, now, occasion)
    end
  end
end

-- True if a rise from `before` to `after` reaches one of the ascending values.
local function reachesAny(values, before, after)
  for i = 1, #values do
    local value = values[i]
    if value > before then return value <= after end
  end
  return false
end

local function completeOfStreak(user, list, occasion, now)
  for _, rule in ipairs(list) do
    if occasion.streakLength >= rule.length and not open(user).achievements[rule.no] and matchesUser(rule.users, user) then
      complete(user, rule.no, now, occasion)
    end
  end
end

local function completeChained(user, list, occasion, now)
  for _, rule in ipairs(list) do
    local achievements = open(user).achievements
    if not achievements[rule.no] and hasAll(achievements, rule.requires) and matchesUser(rule.users, user) then
      complete(user, rule.no, now, occasion)
    end
  end
end

-- Completes achievements, each once per user: those of counters, those of the streak, and then those that need other achievements.
-- For a steady user all that the last event reached is complete, so only what this one adds is checked.
-- Puts the numbers into occasion.completed as a list, and negated as a set.
local function completeAchievements(user, rules, occasion, byApi, now)
  local steady, own, values = occasion.steady, rules.counter, rules.ownValues
  if byApi then complete(user, byApi, now, occasion) end
  if not steady or not values or reachesAny(values, occasion.peaksBefore[own], occasion.peaksAfter[own]) then
    completeOfMetrics(user, rules.metricAchievements, steady, own, occasion, now)
  end
  if not steady then completeOfStreak(user, rules.streakAchievements, occasion, now) end
  if not steady or occasion.completed ~= NOTHING then completeChained(user, rules.chainedAchievements, occasion, now) end
end
