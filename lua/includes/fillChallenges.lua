--- @include "challengeRuns"
--- @include "goalProgress"
--- @include "nothing"
--- @include "reportChallenge"

-- What a counter has in a run, to be compared.
local function goalText(entries, at, goal)
  local counter = entries[goal + GOAL_PROGRESS.counter]
  return encode({
    entries[goal + GOAL_PROGRESS.total], entries[goal + GOAL_PROGRESS.memory], peakOf(entries, at, counter),
  })
end

-- Sets what a counter has in a run to what the history has (FILLED_GOAL). Returns whether that is a change.
local function fillGoal(entries, at, filled)
  local counter = filled[FILLED_GOAL.counter]
  local goal = findProgress(entries, at, counter)
  local before = goal and goalText(entries, at, goal)
  goal = goal or beginProgress(entries, at, counter)
  -- Forgets the peak.
  setTotal(entries, at, goal, math.huge)
  entries[goal + GOAL_PROGRESS.total], entries[goal + GOAL_PROGRESS.memory] = 0, false
  for _, addend in ipairs(filled[FILLED_GOAL.addends]) do
    addToGoal(entries, at, goal, filled[FILLED_GOAL.keeps], addend, addend)
  end
  return goalText(entries, at, goal) ~= before
end

-- Fills goals of a run of a challenge (FILLED_RUN). Completes it without rewards if enough are reached.
-- Returns whether anything changes, and the step (CHALLENGE_STEP or 0).
local function fillRun(user, calendar, filled, now)
  local no, run, begunAt = filled[FILLED_RUN.challenge], filled[FILLED_RUN.run], filled[FILLED_RUN.begunAt]
  local entries, at = findRun(user, no, run)
  local changed, goals = not at, filled[FILLED_RUN.goals]
  if not at then entries, at = beginRun(user, calendar, no, run, run, begunAt) end
  entries[at + CHALLENGE_ENTRY.begunAt] = math.min(entries[at + CHALLENGE_ENTRY.begunAt], begunAt)
  for i = 0, #goals - 1, FILLED_GOAL.size do
    changed = fillGoal(entries, at, { unpack(goals, i + 1, i + FILLED_GOAL.size) }) or changed
  end
  if not filled[FILLED_RUN.isReached] or stepAt(entries, at, RUN_STEPS.completedAt) > 0 then
    return changed, 0
  end
  completeRun(user, entries, at, now)
  setStep(entries, at, RUN_STEPS.claimedAt, now)
  return true, CHALLENGE_STEP.completed
end

-- Fills the goals that have begun to count from the history (flat list of FILLED_RUN). Returns a function
-- that reports the changed challenges within the evaluation; nothing if nothing changes.
local function fillChallenges(context, user, calendar, runs)
  local changes = {}
  for i = 0, #runs - 1, FILLED_RUN.size do
    local filled = { unpack(runs, i + 1, i + FILLED_RUN.size) }
    local changed, step = fillRun(user, calendar, filled, context.now)
    if changed then changes[#changes + 1] = { filled[FILLED_RUN.challenge], filled[FILLED_RUN.run], step } end
  end
  if #changes == 0 then return nil end
  return function()
    local header = beginChallenges(context.out)
    for _, change in ipairs(changes) do
      local no, run, step = unpack(change)
      local entries, at = findRun(user, no, run)
      reportChallenge(context.out, header, entries, at, step)
    end
    return #context.out
  end
end
