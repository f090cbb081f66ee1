local function hasAll(achievements, requires)
  for i = 1, #requires do
    if not achievements[requires[i]] then return false end
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

-- Completes what the counters, the streak and finally the other achievements have made possible, each once per user. A
-- steady user's achievements are complete up to the last event, so only what this one reached is looked at.
-- Puts the numbers into occasion.completed as a list, and negated as a set.
local function completeAchievements(user, rules, occasion, byApi, now)
  local before, after = occasion.peaksBefore, occasion.peaksAfter
  if byApi then complete(user, byApi, now, occasion) end

  local list, steady, own = rules.metricAchievements, occasion.steady, rules.counter
  for i = 1, #list do
    local rule = list[i]
    local no = rule.counter
    local peak = after[no]
    -- The event before counted for the metric's own counter; for one with a filter it need not have.
    if peak and peak >= rule.value and not (steady and no == own and before[no] >= rule.value)
      and not open(user).achievements[rule.no] and matchesUser(rule.users, user) then
      complete(user, rule.no, now, occasion)
    end
  end
  if not steady then
    for _, rule in ipairs(rules.streakAchievements) do
      if occasion.streakLength >= rule.length and not open(user).achievements[rule.no] and matchesUser(rule.users, user) then
        complete(user, rule.no, now, occasion)
      end
    end
  end
  if not steady or occasion.completed ~= NOTHING then
    for _, rule in ipairs(rules.chainedAchievements) do
      local achievements = open(user).achievements
      if not achievements[rule.no] and hasAll(achievements, rule.requires) and matchesUser(rule.users, user) then
        complete(user, rule.no, now, occasion)
      end
    end
  end
end
