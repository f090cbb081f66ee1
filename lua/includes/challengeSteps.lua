--- @include "challengeRewards"
--- @include "challengeRuns"
--- @include "nothing"
--- @include "reportChallenge"

-- What a user or an administrator does with a challenge: operations CORRECT. Each function returns why it
-- is refused (REFUSED), or nil; then the list that has the run, where it is, and the step (CHALLENGE_STEP);
-- nothing if nothing changes.

-- Returns the present run, whether events count in it, and where it is if it has begun for the user: the list
-- and the position.
local function presentRun(user, calendar, no)
  local run, isOpen = datedRun(calendar, no)
  local entries = user.challenges or NOTHING
  local at = run and findChallenge(entries, no)
  local begun = at and entries[at + CHALLENGE_ENTRY.run]
  if not begun or begun < run then return run, isOpen end
  return begun, isOpen, entries, at
end

local function joinChallenge(user, calendar, challenge, now)
  local run, isOpen, entries, at = presentRun(user, calendar, challenge.no)
  if not isOpen then return REFUSED.challengeClosed end
  if not at then entries, at = beginRun(user, calendar, challenge.no, run, run, now) end
  if stepAt(entries, at, RUN_STEPS.joinedAt) > 0 then return nil end
  setStep(entries, at, RUN_STEPS.joinedAt, now)
  return nil, entries, at, CHALLENGE_STEP.joined
end

local function leaveChallenge(user, calendar, challenge)
  local _, _, entries, at = presentRun(user, calendar, challenge.no)
  if not at or stepAt(entries, at, RUN_STEPS.joinedAt) == 0 then return nil end
  if stepAt(entries, at, RUN_STEPS.completedAt) > 0 then return REFUSED.challengeCompleted end
  for _ = CHALLENGE_ENTRY.size + 1, entries[at + CHALLENGE_ENTRY.length] do
    table.remove(entries, at + CHALLENGE_ENTRY.size + 1)
  end
  entries[at + CHALLENGE_ENTRY.length], entries[at + CHALLENGE_ENTRY.steps] = CHALLENGE_ENTRY.size, false
  return nil, entries, at, CHALLENGE_STEP.left
end

local function claimChallenge(user, calendar, challenge, now, run)
  local entries, at = findRun(user, challenge.no, run)
  local completedAt = at and stepAt(entries, at, RUN_STEPS.completedAt) or 0
  if completedAt == 0 then return REFUSED.challengeNotCompleted end
  if stepAt(entries, at, RUN_STEPS.claimedAt) > 0 then return nil end
  local isOver = run < presentRun(user, calendar, challenge.no) - 1
  if isOver or challenge.claimMs and now >= completedAt + challenge.claimMs then
    return REFUSED.rewardsLapsed
  end
  setStep(entries, at, RUN_STEPS.claimedAt, now)
  return nil, entries, at, CHALLENGE_STEP.claimed
end

local function completeByHand(user, calendar, challenge, now)
  local run, isOpen, entries, at = presentRun(user, calendar, challenge.no)
  if not isOpen then return REFUSED.challengeClosed end
  if not at then entries, at = beginRun(user, calendar, challenge.no, run, run, now) end
  if stepAt(entries, at, RUN_STEPS.completedAt) > 0 then return nil end
  completeRun(user, entries, at, now)
  if not challenge.isClaimed then setStep(entries, at, RUN_STEPS.claimedAt, now) end
  return nil, entries, at, CHALLENGE_STEP.completed
end

-- Takes the step that a correction asks for. Returns why it is refused, or nil and a function that reports
-- the step and gives the rewards within the evaluation; nothing if nothing changes.
local function prepareStep(context, user, calendar, challenge, correction)
  local operation, run = correction[CORRECTION.operation], correction[CORRECTION.amount]
  local take = operation == CORRECT.joinChallenge and joinChallenge
    or operation == CORRECT.leaveChallenge and leaveChallenge
    or operation == CORRECT.claimChallenge and claimChallenge or completeByHand
  local refusal, entries, at, step = take(user, calendar, challenge, context.now, run)
  if refusal or not at then return refusal end
  local isGiven = step == CHALLENGE_STEP.claimed
    or step == CHALLENGE_STEP.completed and stepAt(entries, at, RUN_STEPS.claimedAt) > 0
  return nil, function(result)
    reportChallenge(context.out, beginChallenges(context.out), entries, at, step)
    if isGiven then giveRewards(challenge, result) end
    return #context.out
  end
end
