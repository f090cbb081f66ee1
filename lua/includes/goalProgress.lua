--- @include "challengeRuns"
--- @include "countMarked"
--- @include "decimalSum"
--- @include "goalDays"

-- What the goals of a challenge have in a run: GOAL_PROGRESS behind its CHALLENGE_ENTRY, by counter. Goals
-- that count the same share it.

-- Returns where the progress of a counter is; nil if it has not counted.
local function findProgress(entries, at, counter)
  for goal = at + CHALLENGE_ENTRY.size, at + entries[at + CHALLENGE_ENTRY.length] - 1, GOAL_PROGRESS.size do
    if entries[goal + GOAL_PROGRESS.counter] == counter then return goal end
  end
end

-- Begins the progress of a counter at 0. Returns where it is.
local function beginProgress(entries, at, counter)
  local goal = at + entries[at + CHALLENGE_ENTRY.length]
  table.insert(entries, goal + GOAL_PROGRESS.counter, counter)
  table.insert(entries, goal + GOAL_PROGRESS.total, 0)
  table.insert(entries, goal + GOAL_PROGRESS.memory, false)
  entries[at + CHALLENGE_ENTRY.length] = goal + GOAL_PROGRESS.size - at
  return goal
end

-- Returns the peaks by counter, of counters that stand below their peak; false if none does.
local function peaksOf(entries, at)
  local steps = entries[at + CHALLENGE_ENTRY.steps]
  return steps and steps[RUN_STEPS.peaks]
end

local function peakOf(entries, at, counter)
  local peaks = peaksOf(entries, at)
  if peaks and peaks[counter] then return peaks[counter] end
  local goal = findProgress(entries, at, counter)
  return goal and entries[goal + GOAL_PROGRESS.total] or 0
end

-- Sets the total of a counter. Its peak is kept while it stands below.
local function setTotal(entries, at, goal, total)
  local peaks, before = peaksOf(entries, at), entries[goal + GOAL_PROGRESS.total]
  entries[goal + GOAL_PROGRESS.total] = total
  if total >= before and not peaks then return end
  local counter, kept = entries[goal + GOAL_PROGRESS.counter], {}
  for other, peak in pairs(peaks or kept) do kept[other] = peak end
  local peak = kept[counter] or before
  kept[counter] = total < peak and peak or nil
  setStep(entries, at, RUN_STEPS.peaks, next(kept) and kept or false)
end

-- Returns the total with an event, and what is then remembered.
local function goalWith(keeps, total, memory, addend, day)
  if keeps == COUNTER_KEEPS.days then return withGoalDay(total, memory, day) end
  if keeps == COUNTER_KEEPS.greatest then return total > addend and total or addend, false end
  return withValue(total, memory, addend)
end

-- Adds an event to the progress of a counter. Returns whether the total has changed.
local function addToGoal(entries, at, goal, keeps, addend, day)
  local before, total = entries[goal + GOAL_PROGRESS.total]
  if keeps then
    total, entries[goal + GOAL_PROGRESS.memory] =
      goalWith(keeps, before, entries[goal + GOAL_PROGRESS.memory], addend, day)
  else
    total = before + addend
    if total % 1 ~= 0 then total = decimalSum(before, addend) end
  end
  if total == before then return false end
  setTotal(entries, at, goal, total)
  return true
end

-- Takes an undone event from the progress of a counter, if it has counted. What was greatest, and values that
-- were counted, stay. Returns whether the total has changed.
local function takeFromGoal(entries, at, goal, keeps, addend, day)
  if keeps == COUNTER_KEEPS.greatest or keeps == COUNTER_KEEPS.values or addend == 0 then return false end
  local before, total = entries[goal + GOAL_PROGRESS.total]
  if keeps == COUNTER_KEEPS.days then
    total = withoutGoalDay(before, entries[goal + GOAL_PROGRESS.memory], day)
  else
    total = decimalSum(before, addend)
  end
  setTotal(entries, at, goal, total)
  return total ~= before
end
