-- Begins the report of changed challenges (CHANGED_CHALLENGES). Returns where it is.
local function beginChallenges(out)
  local header = #out
  out[header + CHANGED_CHALLENGES.outcome], out[header + CHANGED_CHALLENGES.count] = OUTCOME.challenges, 0
  return header
end

-- Reports a challenge (CHALLENGE_CHANGE) with what its counters have (GOAL_CHANGE). `step`: CHALLENGE_STEP
-- or 0.
local function reportChallenge(out, header, entries, at, step)
  out[header + CHANGED_CHALLENGES.count] = out[header + CHANGED_CHALLENGES.count] + 1
  local progress, n = entries[at + CHALLENGE_ENTRY.progress], #out
  out[n + CHALLENGE_CHANGE.challenge] = entries[at + CHALLENGE_ENTRY.challenge]
  out[n + CHALLENGE_CHANGE.run] = entries[at + CHALLENGE_ENTRY.run]
  out[n + CHALLENGE_CHANGE.joinedAt] = entries[at + CHALLENGE_ENTRY.joinedAt]
  out[n + CHALLENGE_CHANGE.completedAt] = entries[at + CHALLENGE_ENTRY.completedAt]
  out[n + CHALLENGE_CHANGE.claimedAt] = entries[at + CHALLENGE_ENTRY.claimedAt]
  out[n + CHALLENGE_CHANGE.step] = step
  out[n + CHALLENGE_CHANGE.goalCount] = #progress / GOAL_PROGRESS.size
  n = n + CHALLENGE_CHANGE.size
  for goal = 0, #progress - 1, GOAL_PROGRESS.size do
    out[n + GOAL_CHANGE.counter] = progress[goal + GOAL_PROGRESS.counter]
    out[n + GOAL_CHANGE.total] = progress[goal + GOAL_PROGRESS.total]
    out[n + GOAL_CHANGE.peak] = progress[goal + GOAL_PROGRESS.peak]
    n = n + GOAL_CHANGE.size
  end
end
