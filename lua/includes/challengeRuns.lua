--- @include "nothing"

-- The runs of challenges of a user (docs/challenges.md). `challenges` of the user is false, or a list of
-- CHALLENGE_ENTRY: of each challenge the latest run and the one before, once an event has counted in it.

-- Returns the number of the run on the date of a calendar, -1 before the challenge begins, and whether events
-- count in it; nil if the challenge does not exist any more.
local function datedRun(calendar, challenge)
  local runs = calendar.challenges or NOTHING
  for at = 0, #runs - 1, CHALLENGE_RUN.size do
    if runs[at + CHALLENGE_RUN.challenge] == challenge then
      return runs[at + CHALLENGE_RUN.run], runs[at + CHALLENGE_RUN.isOpen]
    end
  end
end

local function findRun(entries, challenge, run)
  for at = 0, #entries - 1, CHALLENGE_ENTRY.size do
    if entries[at + CHALLENGE_ENTRY.challenge] == challenge and entries[at + CHALLENGE_ENTRY.run] == run then
      return at
    end
  end
end

-- Returns where the latest run of a challenge is that has begun for the user.
local function findLatest(entries, challenge)
  local latest
  for at = 0, #entries - 1, CHALLENGE_ENTRY.size do
    if entries[at + CHALLENGE_ENTRY.challenge] == challenge
      and (not latest or entries[at + CHALLENGE_ENTRY.run] > entries[latest + CHALLENGE_ENTRY.run]) then
      latest = at
    end
  end
  return latest
end

-- Returns the run in which an event of an instant counts, the present run, and where the run is if it has
-- begun for the user; nil if the event counts in none. A run that has begun goes on where the date is an
-- earlier one. `atCalendar`: of the instant.
local function runOfEvent(entries, challenge, atCalendar, calendar, instant)
  local run, isOpen = datedRun(atCalendar, challenge)
  if not isOpen then return nil end
  local present = calendar == atCalendar and run or datedRun(calendar, challenge)
  local latest = findLatest(entries, challenge)
  local begun = latest and entries[latest + CHALLENGE_ENTRY.run]
  if begun then
    present = math.max(present, begun)
    if instant >= entries[latest + CHALLENGE_ENTRY.begunAt] then run = math.max(run, begun) end
  end
  if run < present - 1 then return nil end
  return run, present, run == begun and latest or findRun(entries, challenge, run)
end

-- Begins a run for the user. Forgets runs before the former one, and challenges that do not exist any more.
-- Returns where the run is.
local function beginRun(user, calendar, challenge, run, present, instant)
  local kept = {}
  local entries = user.challenges or NOTHING
  for at = 0, #entries - 1, CHALLENGE_ENTRY.size do
    local no = entries[at + CHALLENGE_ENTRY.challenge]
    local isOver = no == challenge and entries[at + CHALLENGE_ENTRY.run] < present - 1
    if not isOver and datedRun(calendar, no) then
      for i = 1, CHALLENGE_ENTRY.size do kept[#kept + 1] = entries[at + i] end
    end
  end
  local at = #kept
  kept[at + CHALLENGE_ENTRY.challenge], kept[at + CHALLENGE_ENTRY.run] = challenge, run
  kept[at + CHALLENGE_ENTRY.begunAt], kept[at + CHALLENGE_ENTRY.joinedAt] = instant, 0
  kept[at + CHALLENGE_ENTRY.completedAt], kept[at + CHALLENGE_ENTRY.claimedAt] = 0, 0
  kept[at + CHALLENGE_ENTRY.progress] = {}
  user.challenges = kept
  return at
end
