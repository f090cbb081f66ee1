--- @include "attributesOf"
--- @include "challengeRuns"
--- @include "computeAddend"
--- @include "drawnGoals"
--- @include "goalProgress"
--- @include "nothing"
--- @include "offFastPath"

-- What the event adds to a counter; nil if it does not count. Of an undone event, the history has it, unless
-- it follows from the value.
local function addendOfGoal(counter, change, attributes, day)
  if change.addends and counter.computes then return change.addends[counter.no] end
  return computeAddend(counter, change.value, day, attributes)
end

-- Adds an event to the goals of a challenge. `event`: attributes, day, instant, atCalendar, calendar.
-- Returns where the run is if a total has changed, and the numbers of these counters.
local function countGoals(user, challenge, change, event)
  local run, present, at = runOfEvent(user.challenges or NOTHING, challenge.no, event.atCalendar,
    event.calendar, event.instant)
  if not run then return nil end
  local changed
  for i = 1, #challenge.counters do
    local counter = challenge.counters[i]
    local addend = addendOfGoal(counter, change, event.attributes, event.day)
    if addend and (at or not change.addends) then
      at = at or beginRun(user, event.calendar, challenge.no, run, present, event.instant)
      local entries, apply = user.challenges, change.addends and takeFromGoal or addToGoal
      local progress = entries[at + CHALLENGE_ENTRY.progress]
      if not change.addends then
        entries[at + CHALLENGE_ENTRY.begunAt] = math.min(entries[at + CHALLENGE_ENTRY.begunAt], event.instant)
      end
      if apply(progress, counter, addend, event.day) then
        changed = changed or {}
        changed[counter.no] = true
      end
    end
  end
  if changed then return at, changed end
end

-- Returns whether goals of the user have changed, and whether enough goals are reached.
local function lookAtGoals(context, challenge, run, progress, changed)
  local bits, shows, reached = drawnBits(context, challenge, run), false, 0
  for i = 1, #challenge.goals do
    local goal = challenge.goals[i]
    if isDrawn(bits, i) then
      shows = shows or changed[goal.counter]
      if peakOf(progress, goal.counter) >= goal.target then reached = reached + 1 end
    end
  end
  return shows, reached >= challenge.needed
end

-- Reports a challenge (CHALLENGE_CHANGE) with what its counters have (GOAL_CHANGE). `step`: CHALLENGE_STEP
-- or 0.
local function reportChallenge(out, entries, at, step)
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

-- Completes a challenge in a run, and makes the evaluation give the reward.
local function completeChallenge(context, user, challenge, result)
  if context.givesNoRewards then return end
  -- Only without the fast path, everything that follows from a reward is looked at.
  result.isFastPath = false
  result.challenges = result.challenges or {}
  result.challenges[challenge.no] = true
  local no = challenge.achievement
  if no and (open(user).achievements[no] or 0) <= 0 then
    offFastPath().complete(user, no, context.now, result)
  end
end

-- Adds an event to the challenges of its metric. `instant` and `atCalendar` are those of the event,
-- `calendar` is that of now. Reports those that have changed. Puts the numbers of those that the event
-- completes into result.challenges, as a set.
local function countChallenges(context, user, rules, atCalendar, calendar, instant, change, result)
  local out, header = context.out, nil
  local event = {
    attributes = attributesOf(change), day = result.day, instant = instant,
    atCalendar = atCalendar, calendar = calendar,
  }
  result.challenges = false
  for i = 1, #rules.challenges do
    local challenge = rules.challenges[i]
    local at, changed = countGoals(user, challenge, change, event)
    if at then
      local entries = user.challenges
      local run, completedAt = entries[at + CHALLENGE_ENTRY.run], entries[at + CHALLENGE_ENTRY.completedAt]
      local shows, isReached =
        lookAtGoals(context, challenge, run, entries[at + CHALLENGE_ENTRY.progress], changed)
      local isNew = isReached and completedAt == 0 and not change.addends
      if isNew then
        entries[at + CHALLENGE_ENTRY.completedAt] = context.now
        entries[at + CHALLENGE_ENTRY.claimedAt] = context.now
        completeChallenge(context, user, challenge, result)
      end
      if shows then
        if not header then
          header = #out
          out[header + CHANGED_CHALLENGES.outcome] = OUTCOME.challenges
          out[header + CHANGED_CHALLENGES.count] = 0
        end
        out[header + CHANGED_CHALLENGES.count] = out[header + CHANGED_CHALLENGES.count] + 1
        reportChallenge(out, entries, at, isNew and CHALLENGE_STEP.completed or 0)
      end
    end
  end
end
