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
  local n, length = #out, entries[at + CHALLENGE_ENTRY.length]
  out[n + CHALLENGE_CHANGE.challenge] = entries[at + CHALLENGE_ENTRY.challenge]
  out[n + CHALLENGE_CHANGE.run], out[n + CHALLENGE_CHANGE.step] = entries[at + CHALLENGE_ENTRY.run], step
  out[n + CHALLENGE_CHANGE.steps] = entries[at + CHALLENGE_ENTRY.steps]
  out[n + CHALLENGE_CHANGE.goalCount] = (length - CHALLENGE_ENTRY.size) / GOAL_PROGRESS.size
  n = n + CHALLENGE_CHANGE.size
  for goal = at + CHALLENGE_ENTRY.size, at + length - 1, GOAL_PROGRESS.size do
    out[n + GOAL_CHANGE.counter] = entries[goal + GOAL_PROGRESS.counter]
    out[n + GOAL_CHANGE.total] = entries[goal + GOAL_PROGRESS.total]
    n = n + GOAL_CHANGE.size
  end
end
