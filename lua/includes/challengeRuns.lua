--- @include "nothing"
--- @include "userState"

-- The runs of challenges of a user (docs/challenges.md): user.challenges has the latest run of each challenge
-- once an event has counted in it, and user.formerChallenges the run before, which few events read. Both are
-- false, or a list: of each run CHALLENGE_ENTRY, and GOAL_PROGRESS of each counter that has counted.

-- Returns the number of the run on the date of a calendar, -1 before the challenge begins, and whether events
-- count in it; nil if the challenge does not exist any more.
local function datedRun(calendar, challenge)
  local run = calendar.openRuns and calendar.openRuns[challenge]
  if run then return run, true end
  return calendar.closedRuns and calendar.closedRuns[challenge], false
end

local function findChallenge(entries, challenge)
  local at = 0
  while entries[at + CHALLENGE_ENTRY.challenge] do
    if entries[at + CHALLENGE_ENTRY.challenge] == challenge then return at end
    at = at + entries[at + CHALLENGE_ENTRY.length]
  end
end

-- Returns the list that has a run of the user, and where it is; nil if it has not begun.
local function findRun(user, challenge, run)
  local entries = user.challenges or NOTHING
  local at = findChallenge(entries, challenge)
  if at and entries[at + CHALLENGE_ENTRY.run] == run then return entries, at end
  entries = openToChange(user).formerChallenges or NOTHING
  at = findChallenge(entries, challenge)
  if at and entries[at + CHALLENGE_ENTRY.run] == run then return entries, at end
end

-- Returns the run in which an event of an instant counts and the present run; and, if the run has begun for
-- the user, the list that has it and where. Returns nil if the event counts in none. A run that has begun
-- goes on where the date is an earlier one. `atCalendar`: of the instant. `probably`: where the challenge
-- probably is.
local function runOfEvent(user, challenge, probably, atCalendar, calendar, instant)
  local run = atCalendar.openRuns and atCalendar.openRuns[challenge]
  if not run then return nil end
  local present = calendar == atCalendar and run or datedRun(calendar, challenge)
  local entries, at = user.challenges or NOTHING, probably
  if entries[at + CHALLENGE_ENTRY.challenge] ~= challenge then at = findChallenge(entries, challenge) end
  if not at then
    if run < present - 1 then return nil end
    return run, present
  end
  local begun = entries[at + CHALLENGE_ENTRY.run]
  if begun > present then present = begun end
  if begun > run and instant >= entries[at + CHALLENGE_ENTRY.begunAt] then run = begun end
  if run < present - 1 then return nil end
  if run == begun then return run, present, entries, at end
  return run, present, findRun(user, challenge, run)
end

-- Puts the runs of a list that are kept when a run begins into `latest` and `former`. `own`: the one of both
-- for other challenges.
local function keepRuns(entries, calendar, challenge, run, present, own, latest, former)
  local at = 0
  while entries[at + CHALLENGE_ENTRY.challenge] do
    local no, other = entries[at + CHALLENGE_ENTRY.challenge], entries[at + CHALLENGE_ENTRY.run]
    local list = no ~= challenge and own or other < run and former or latest
    local isOver = no == challenge and other < present - 1
    local n, length = #list, entries[at + CHALLENGE_ENTRY.length]
    if not isOver and datedRun(calendar, no) then
      for i = 1, length do list[n + i] = entries[at + i] end
    end
    at = at + length
  end
end

-- Begins a run for the user. Forgets runs before the former one, and challenges that do not exist any more.
-- Returns the list that has the run, and where.
local function beginRun(user, calendar, challenge, run, present, instant)
  local latest, former = {}, {}
  local before = openToChange(user).formerChallenges or NOTHING
  keepRuns(before, calendar, challenge, run, present, former, latest, former)
  keepRuns(user.challenges or NOTHING, calendar, challenge, run, present, latest, latest, former)
  local entries = findChallenge(latest, challenge) and former or latest
  local at = #entries
  entries[at + CHALLENGE_ENTRY.challenge], entries[at + CHALLENGE_ENTRY.run] = challenge, run
  entries[at + CHALLENGE_ENTRY.length], entries[at + CHALLENGE_ENTRY.begunAt] = CHALLENGE_ENTRY.size, instant
  entries[at + CHALLENGE_ENTRY.steps] = false
  user.challenges, user.formerChallenges = latest, #former > 0 and former
  return entries, at
end

-- Returns when a step of a run was taken (ms), 0 before that.
local function stepAt(entries, at, step)
  local steps = entries[at + CHALLENGE_ENTRY.steps]
  return steps and steps[step] or 0
end

-- Sets a value of RUN_STEPS. Reports may have the former values, so those stay.
local function setStep(entries, at, step, value)
  local steps = { unpack(entries[at + CHALLENGE_ENTRY.steps] or { 0, 0, 0, false }) }
  steps[step] = value
  entries[at + CHALLENGE_ENTRY.steps] = steps
end

-- Completes a run at an instant (ms) and counts it.
local function completeRun(user, entries, at, instant)
  setStep(entries, at, RUN_STEPS.completedAt, instant)
  local no, counts = entries[at + CHALLENGE_ENTRY.challenge], openToChange(user).challengeCompletions or {}
  counts[no] = (counts[no] or 0) + 1
  user.challengeCompletions = counts
end
