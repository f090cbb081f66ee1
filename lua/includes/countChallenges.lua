--- @include "attributesOf"
--- @include "challengeRewards"
--- @include "challengeRuns"
--- @include "computeAddend"
--- @include "drawnGoals"
--- @include "goalProgress"
--- @include "nothing"
--- @include "reportChallenge"

-- What countGoals looks at of an event. One table serves all events.
local event = { addends = {} }

-- Puts what an event adds to each counter that goals look at into event.addends. Of an undone event, the
-- history has it, unless it follows from the value.
local function readAddends(counters, change, day)
  local attributes, value = attributesOf(change), change.value
  for i = 1, #counters do
    local counter, addend = counters[i], value
    if counter.computes and change.addends then
      addend = change.addends[counter.no]
    elseif counter.computes or counter.filter then
      addend = computeAddend(counter, value, day, attributes)
    end
    event.addends[counter.no] = addend
  end
end

-- Adds an event to the goals of a challenge in a run that has begun. Returns a set of the counters of which
-- the total has changed, which stays empty if the user has all goals; nil if none has.
local function addToGoals(challenge, entries, at)
  local counters, apply, changed = challenge.counters, event.apply, nil
  local goal = at + CHALLENGE_ENTRY.size
  for i = 1, #counters do
    local counter = counters[i]
    local no = counter.no
    local addend = event.addends[no]
    if addend then
      -- Most runs have the counters in the order of the rules.
      if goal >= at + entries[at + CHALLENGE_ENTRY.length] or entries[goal + GOAL_PROGRESS.counter] ~= no then
        goal = findProgress(entries, at, no) or not event.isUndone and beginProgress(entries, at, no)
      end
      if goal and apply(entries, at, goal, counter.keeps, addend, event.day) then
        changed = changed or challenge.sets and {} or NOTHING
        if challenge.sets then changed[no] = true end
      end
      goal = (goal or at + CHALLENGE_ENTRY.size) + GOAL_PROGRESS.size
    end
  end
  return changed
end

-- Whether the event adds to a goal of the challenge.
local function counts(challenge)
  for i = 1, #challenge.counters do
    if event.addends[challenge.counters[i].no] then return true end
  end
  return false
end

-- Adds an event to the goals of a challenge. Returns the list that has the run, where it is, and a set of the
-- counters of which the total has changed (addToGoals); nothing if the event does not count.
local function countGoals(user, challenge, probably)
  local run, present, entries, at = runOfEvent(user, challenge.no, probably, event.atCalendar,
    event.calendar, event.instant)
  if not run then return nil end
  if challenge.isJoined then
    local joinedAt = at and stepAt(entries, at, RUN_STEPS.joinedAt) or 0
    if joinedAt == 0 or event.instant < joinedAt then return nil end
  end
  local begunAt = at and entries[at + CHALLENGE_ENTRY.begunAt]
  if not event.isUndone and (not at or event.instant < begunAt) then
    if not counts(challenge) then return nil end
    if not at then
      entries, at = beginRun(user, event.calendar, challenge.no, run, present, event.instant)
    end
    entries[at + CHALLENGE_ENTRY.begunAt] = event.instant
  end
  if at then return entries, at, addToGoals(challenge, entries, at) end
end

-- Whether a goal may be reached. Most runs have none, and the totals say so.
local function mayBeReached(least, entries, at)
  if peaksOf(entries, at) then return true end
  for goal = at + CHALLENGE_ENTRY.size, at + entries[at + CHALLENGE_ENTRY.length] - 1, GOAL_PROGRESS.size do
    local target = least[entries[goal + GOAL_PROGRESS.counter]]
    if target and entries[goal + GOAL_PROGRESS.total] >= target then return true end
  end
  return false
end

-- Whether enough goals of the user are reached.
local function isReached(challenge, bits, entries, at)
  local missing = challenge.needed
  for i = 1, #challenge.goals do
    local goal = challenge.goals[i]
    if isDrawn(bits, i) and peakOf(entries, at, goal.counter) >= goal.target then missing = missing - 1 end
  end
  return missing <= 0
end

-- Whether the user has a goal of which the total has changed.
local function hasChanged(challenge, bits, changed)
  if not bits then return true end
  for i = 1, #challenge.goals do
    if changed[challenge.goals[i].counter] and isDrawn(bits, i) then return true end
  end
  return false
end

-- Completes a challenge in a run. Gives the rewards unless the user must claim them, or an import gives none.
local function completeChallenge(context, user, challenge, entries, at, result)
  completeRun(user, entries, at, context.now)
  if challenge.isClaimed and not context.givesNoRewards then return end
  setStep(entries, at, RUN_STEPS.claimedAt, context.now)
  if not context.givesNoRewards then giveRewards(challenge, result) end
end

-- Adds an event to the challenges of its metric. `instant` and `atCalendar` are those of the event,
-- `calendar` is that of now. Reports those that have changed. Puts the numbers of those that the event
-- completes into result.challenges, as a set.
local function countChallenges(context, user, rules, atCalendar, calendar, instant, change, result)
  local out, header, probably, isUndone = context.out, nil, 0, change.addends ~= nil
  event.day, event.instant, event.atCalendar, event.calendar = result.day, instant, atCalendar, calendar
  event.isUndone, event.apply = isUndone, isUndone and takeFromGoal or addToGoal
  readAddends(rules.goalCounters, change, result.day)
  result.challenges = false
  for i = 1, #rules.challenges do
    local challenge = rules.challenges[i]
    local entries, at, changed = countGoals(user, challenge, probably)
    if entries then
      probably = entries == user.challenges and at + entries[at + CHALLENGE_ENTRY.length] or 0
    end
    if changed then
      local bits = drawnBits(context, challenge, entries[at + CHALLENGE_ENTRY.run])
      local isNew = not isUndone and stepAt(entries, at, RUN_STEPS.completedAt) == 0
        and mayBeReached(challenge.leastTargets, entries, at) and isReached(challenge, bits, entries, at)
      if isNew then completeChallenge(context, user, challenge, entries, at, result) end
      -- A target that has been lowered may be met by an event that adds to other goals.
      if isNew or hasChanged(challenge, bits, changed) then
        header = header or beginChallenges(out)
        reportChallenge(out, header, entries, at, isNew and CHALLENGE_STEP.completed or 0)
      end
    end
  end
end
