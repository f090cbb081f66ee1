--- @include "countMarked"
--- @include "decimalSum"
--- @include "goalDays"

-- What the goals of a challenge have in a run: a list of GOAL_PROGRESS by counter. Goals that count the same
-- share it.

-- Returns where the progress of a counter is; nil if it has not counted.
local function findProgress(progress, counter)
  for at = 0, #progress - 1, GOAL_PROGRESS.size do
    if progress[at + GOAL_PROGRESS.counter] == counter then return at end
  end
end

local function peakOf(progress, counter)
  local at = findProgress(progress, counter)
  return at and progress[at + GOAL_PROGRESS.peak] or 0
end

-- Returns the total with an event, and what is then remembered.
local function goalWith(keeps, total, memory, addend, day)
  if keeps == COUNTER_KEEPS.days then return withGoalDay(total, memory, day) end
  if keeps == COUNTER_KEEPS.greatest then return math.max(total, addend), false end
  if keeps == COUNTER_KEEPS.values then return withValue(total, memory, addend) end
  return decimalSum(total, addend), false
end

-- Adds an event to the progress of a counter, which begins at 0. Returns whether the total has changed.
local function addToGoal(progress, counter, addend, day)
  local at = findProgress(progress, counter.no)
  if not at then
    at = #progress
    progress[at + GOAL_PROGRESS.counter], progress[at + GOAL_PROGRESS.total] = counter.no, 0
    progress[at + GOAL_PROGRESS.peak], progress[at + GOAL_PROGRESS.memory] = 0, false
  end
  local before = progress[at + GOAL_PROGRESS.total]
  local total, memory = goalWith(counter.keeps, before, progress[at + GOAL_PROGRESS.memory], addend, day)
  progress[at + GOAL_PROGRESS.total], progress[at + GOAL_PROGRESS.memory] = total, memory
  progress[at + GOAL_PROGRESS.peak] = math.max(progress[at + GOAL_PROGRESS.peak], total)
  return total ~= before
end

-- Takes an undone event from the progress of a counter, if it has counted. What was greatest, and values that
-- were counted, stay. Returns whether the total has changed.
local function takeFromGoal(progress, counter, addend, day)
  local at, keeps = findProgress(progress, counter.no), counter.keeps
  if not at or keeps == COUNTER_KEEPS.greatest or keeps == COUNTER_KEEPS.values or addend == 0 then
    return false
  end
  local before = progress[at + GOAL_PROGRESS.total]
  local total
  if keeps == COUNTER_KEEPS.days then
    total = withoutGoalDay(before, progress[at + GOAL_PROGRESS.memory], day)
  else
    total = decimalSum(before, addend)
  end
  progress[at + GOAL_PROGRESS.total] = total
  progress[at + GOAL_PROGRESS.peak] = math.max(progress[at + GOAL_PROGRESS.peak], total)
  return total ~= before
end
