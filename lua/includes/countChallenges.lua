--- @include "attributesOf"
--- @include "challengeRewards"
--- @include "challengeRuns"
--- @include "computeAddend"
--- @include "drawnGoals"
--- @include "goalProgress"
--- @include "nothing"
--- @include "reportChallenge"

-- What the event adds to a counter; nil if it does not count. Of an undone event, the history has it, unless
-- it follows from the value.
local function addendOfGoal(counter, change, attributes, day)
  if change.addends and counter.computes then return change.addends[counter.no] end
  return computeAddend(counter, change.value, day, attributes)
end

-- Whether the user had joined a run at an instant.
local function hasJoined(user, at, instant)
  local joinedAt = at and user.challenges[at + CHALLENGE_ENTRY.joinedAt] or 0
  return joinedAt > 0 and instant >= joinedAt
end

-- Adds an event to the goals of a challenge. `event`: attributes, day, instant, atCalendar, calendar.
-- Returns where the run is if a total has changed, and the numbers of these counters.
local function countGoals(user, challenge, change, event)
  local run, present, at = runOfEvent(user.challenges or NOTHING, challenge.no, event.atCalendar,
    event.calendar, event.instant)
  if not run or challenge.isJoined and not hasJoined(user, at, event.instant) then return nil end
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

-- Completes a challenge in a run. Gives the rewards unless the user must claim them, or an import gives none.
local function completeChallenge(context, user, challenge, at, result)
  local entries, now = user.challenges, context.now
  entries[at + CHALLENGE_ENTRY.completedAt] = now
  if challenge.isClaimed and not context.givesNoRewards then return end
  entries[at + CHALLENGE_ENTRY.claimedAt] = now
  if not context.givesNoRewards then giveRewards(context, user, challenge, result) end
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
        completeChallenge(context, user, challenge, at, result)
      end
      if shows then
        header = header or beginChallenges(out)
        reportChallenge(out, header, entries, at, isNew and CHALLENGE_STEP.completed or 0)
      end
    end
  end
end
