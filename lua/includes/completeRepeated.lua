--- @include "daySet"
--- @include "matches"
--- @include "nothing"
--- @include "userState"

-- Achievements that are completed once in every period (`repeated` of a counter). `repeats` of the user has
-- REPEATS by number of the achievement.

-- Whether an achievement is complete in a period. Of a period that is not kept, its total `before` the event
-- says so.
local function isComplete(kept, period, before, value)
  local ago = kept and kept[REPEATS.periods][DAYS.last] - period
  if not ago or ago >= KEPT_MARKS.days then return before >= value end
  return ago >= 0 and floor(kept[REPEATS.periods][DAYS.bits] / 2 ^ ago) % 2 == 1
end

local function addRepeated(result, no, times, completedAt)
  if result.completed == NOTHING then result.completed = {} end
  local completed = result.completed
  local list = completed.repeated or {}
  completed.repeated = list
  local n = #list
  list[n + REPEATED.mark], list[n + REPEATED.achievement] = 0, result.isSilent and -no or no
  list[n + REPEATED.times], list[n + REPEATED.completedAt] = times, completedAt
  if not result.isSilent then completed[-no] = true end
end

-- Notes that the event reaches an achievement in its period. `at`: of the first completion; nil if that is
-- about to follow (completeAchievements), negative if it was revoked.
local function notePeriod(user, no, at, period, result)
  local repeats = user.repeats or {}
  local kept = repeats[no]
  local before = at and math.max(kept and kept[REPEATS.times] or 0, 1) or 0
  local times, periods = withDay(before, kept and kept[REPEATS.periods], period)
  if at and at < 0 then times = 0 end
  openToChange(user).repeats = repeats
  repeats[no] = { [REPEATS.times] = times, [REPEATS.periods] = periods }
  if times > 1 then addRepeated(result, no, times, at) end
end

-- Completes achievements that an event reaches in its period and that are not complete in it. Puts those that
-- the user had before into result.completed: REPEATED into its list `repeated`, and the negated numbers into
-- its keys.
local function completeRepeated(user, counter, period, result)
  local before, after = result.peaksBefore[counter.no], result.peaksAfter[counter.no]
  for _, rule in ipairs(after and counter.repeated or NOTHING) do
    if after >= rule.value and matchesUser(rule.users, user) then
      local at, kept = open(user).achievements[rule.no], user.repeats and user.repeats[rule.no]
      if not (at and isComplete(kept, period, before, rule.value)) then
        notePeriod(user, rule.no, at, period, result)
      end
    end
  end
end
