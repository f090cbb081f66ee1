--- @include "challengeRuns"
--- @include "goalProgress"
--- @include "nothing"
--- @include "reportChallenge"

-- Sets what a counter has in a run to what the history has (FILLED_GOAL). Returns whether that is a change.
local function fillGoal(progress, filled)
  local counter = { no = filled[FILLED_GOAL.counter], keeps = filled[FILLED_GOAL.keeps] }
  local fresh, at = {}, findProgress(progress, counter.no) or #progress
  for _, addend in ipairs(filled[FILLED_GOAL.addends]) do addToGoal(fresh, counter, addend, addend) end
  local changed = false
  for i = 1, GOAL_PROGRESS.size do
    changed = changed or encode(progress[at + i]) ~= encode(fresh[i])
    progress[at + i] = fresh[i]
  end
  return changed
end

-- Fills goals of a run of a challenge (FILLED_RUN). Completes it without rewards if enough are reached.
-- Returns where the run is and the step (CHALLENGE_STEP or 0); nothing if nothing changes.
local function fillRun(user, calendar, filled, now)
  local no, run, begunAt = filled[FILLED_RUN.challenge], filled[FILLED_RUN.run], filled[FILLED_RUN.begunAt]
  local found = findRun(user.challenges or NOTHING, no, run)
  local at, changed = found or beginRun(user, calendar, no, run, run, begunAt), not found
  local entries, step, goals = user.challenges, 0, filled[FILLED_RUN.goals]
  entries[at + CHALLENGE_ENTRY.begunAt] = math.min(entries[at + CHALLENGE_ENTRY.begunAt], begunAt)
  for i = 0, #goals - 1, FILLED_GOAL.size do
    local goal = { unpack(goals, i + 1, i + FILLED_GOAL.size) }
    changed = fillGoal(entries[at + CHALLENGE_ENTRY.progress], goal) or changed
  end
  if filled[FILLED_RUN.isReached] and entries[at + CHALLENGE_ENTRY.completedAt] == 0 then
    entries[at + CHALLENGE_ENTRY.completedAt], entries[at + CHALLENGE_ENTRY.claimedAt] = now, now
    changed, step = true, CHALLENGE_STEP.completed
  end
  if changed then return at, step end
end

-- Fills the goals that have begun to count from the history (flat list of FILLED_RUN). Returns a function
-- that reports the changed challenges within the evaluation; nothing if nothing changes.
local function fillChallenges(context, user, calendar, runs)
  local changes = {}
  for i = 0, #runs - 1, FILLED_RUN.size do
    local filled = { unpack(runs, i + 1, i + FILLED_RUN.size) }
    local at, step = fillRun(user, calendar, filled, context.now)
    if at then changes[#changes + 1] = { filled[FILLED_RUN.challenge], filled[FILLED_RUN.run], step } end
  end
  if #changes == 0 then return nil end
  return function()
    local header = beginChallenges(context.out)
    for _, change in ipairs(changes) do
      local no, run, step = unpack(change)
      reportChallenge(context.out, header, user.challenges, findRun(user.challenges, no, run), step)
    end
    return #context.out
  end
end
