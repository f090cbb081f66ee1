--- @include "anniversaryDay"
--- @include "matches"
--- @include "nothing"
--- @include "userState"

-- Whether the user has so many of these as a rule needs.
local function hasEnough(achievements, rule)
  local requires, missing = rule.requires, rule.needed
  for i = 1, #requires do
    local at = achievements[requires[i]]
    if at and at >= 0 then missing = missing - 1 end
  end
  return missing <= 0
end

local function complete(user, no, now, result)
  openToChange(user).achievements[no] = now
  if result.completed == NOTHING then result.completed = {} end
  local completed = result.completed
  completed[#completed + 1] = result.isSilent and -no or no
  if not result.isSilent then completed[-no] = true end
end

local function completeOfMetrics(user, list, isFastPath, own, result, now)
  local after = result.peaksAfter
  -- The last event counted for the metric's own counter, but perhaps not for one with a filter.
  local reached = isFastPath and result.peaksBefore[own]
  for i = 1, #list do
    local rule = list[i]
    local no, value = rule.counter, rule.value
    local peak = after[no]
    if peak and peak >= value and not (reached and no == own and reached >= value)
      and not open(user).achievements[rule.no] and matchesUser(rule.users, user) then
      complete(user, rule.no, now, result)
    end
  end
end

local function completeOfStreak(user, list, result, now)
  for _, rule in ipairs(list) do
    if result.streakLength >= rule.length and not open(user).achievements[rule.no]
      and matchesUser(rule.users, user) then
      complete(user, rule.no, now, result)
    end
  end
end

local function hasOne(numbers, requires)
  for i = 1, #requires do
    if numbers[requires[i]] then return true end
  end
  return false
end

-- `opened`: nil, or a set of numbers of achievements: then only those are completed that require one of them,
-- or one of those that this completes.
local function completeChained(user, list, result, now, opened)
  for _, rule in ipairs(list) do
    local achievements = open(user).achievements
    if not achievements[rule.no] and hasEnough(achievements, rule)
      and matchesUser(rule.users, user) and (not opened or hasOne(opened, rule.requires)) then
      complete(user, rule.no, now, result)
      if opened then opened[rule.no] = true end
    end
  end
end

local function completeOfSignUp(user, list, result, now)
  local date = open(user).signUpDate
  if not date then return end
  for _, rule in ipairs(list) do
    if not user.achievements[rule.no] and anniversaryDay(date, rule.years) <= result.day
      and matchesUser(rule.users, user) then
      complete(user, rule.no, now, result)
    end
  end
end

-- Completes anniversaries and the achievements that follow from them. They are silent unless the day has just
-- come: whoever has just got the sign-up date or the achievement earned them earlier.
local function completeAnniversaries(user, chained, result, now)
  local isSilent = result.isSilent
  result.isSilent = not result.tickAt
  completeOfSignUp(user, result.anniversaries, result, now)
  local opened = {}
  for _, no in ipairs(result.completed) do opened[math.abs(no)] = true end
  completeChained(user, chained, result, now, opened)
  result.isSilent = isSilent
end

-- Returns the achievements of the rules (ScriptAchievements). They are JSON until a change needs them.
local function achievementsOf(rules)
  if type(rules.achievements) == 'string' then rules.achievements = cjson.decode(rules.achievements) end
  return rules.achievements
end

-- Completes achievements, each once per user: anniversaries, those of counters, those of the streak, and then
-- those that require other achievements. On the fast path, the user has completed all that the last event
-- reached, so only those that this event reaches are checked. Puts the numbers into result.completed as a
-- list, those of silent completions negated. The negated numbers of the others are its keys, as a set.
-- `asked`: numbers of achievements that the change itself completes, or false.
local function completeAchievements(user, rules, result, asked, now)
  local isFastPath, achievements = result.isFastPath, achievementsOf(rules)
  if #result.anniversaries > 0 then completeAnniversaries(user, achievements.chained, result, now) end
  if asked then
    for i = 1, #asked do complete(user, asked[i], now, result) end
  end
  if result.rewarded then
    for _, no in ipairs(result.rewarded) do
      if (open(user).achievements[no] or 0) <= 0 then complete(user, no, now, result) end
    end
    result.rewarded = false
  end
  completeOfMetrics(user, achievements.ofMetrics, isFastPath, rules.counter, result, now)
  if not isFastPath then completeOfStreak(user, achievements.ofStreaks, result, now) end
  if not isFastPath or result.completed ~= NOTHING then
    completeChained(user, achievements.chained, result, now)
  end
end
