--- @include "completeAchievements"
--- @include "daySet"
--- @include "matches"
--- @include "userState"

-- Adds the latest periods, the last one first, of an achievement that was completed so many times. Returns
-- whether that is new.
local function addPeriodsDone(user, no, times, periods)
  local repeats = user.repeats or {}
  local kept = repeats[no]
  local before, set, added = kept and kept[REPEATS.times] or 0, kept and kept[REPEATS.periods], 0
  for i = #periods, 1, -1 do
    if not set or set[DAYS.last] - periods[i] < KEPT_MARKS.days then
      added, set = withDay(added, set, periods[i])
    end
  end
  if added == 0 and times <= before then return false end
  openToChange(user).repeats = repeats
  repeats[no] = { [REPEATS.times] = math.max(times, before), [REPEATS.periods] = set }
  return true
end

-- Sets how often a user has completed achievements to what the history says (FILLED_REPEATS), unless that is
-- less. Returns whether anything changed.
local function fillRepeats(user, rules, list)
  local found, changed = {}, false
  for at = 0, #list - 1, FILLED_REPEATS.size do found[list[at + FILLED_REPEATS.achievement]] = at end
  for _, rule in ipairs(achievementsOf(rules).ofMetrics) do
    local at = found[rule.no]
    local isCompleted = (open(user).achievements[rule.no] or 0) > 0
    if at and isCompleted and matchesUser(rule.users, user) then
      local times, periods = list[at + FILLED_REPEATS.times], list[at + FILLED_REPEATS.periods]
      changed = addPeriodsDone(user, rule.no, times, periods) or changed
    end
  end
  return changed
end
