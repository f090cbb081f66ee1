--- @include "challengeRewards"
--- @include "challengeRuns"
--- @include "nothing"
--- @include "reportChallenge"

-- What a user or an administrator does with a challenge: operations CORRECT. Each function returns why it
-- is refused (REFUSED), or nil; then where the run is and the step (CHALLENGE_STEP), or nothing if nothing
-- changes.

-- Returns the present run, whether events count in it, and where it is if it has begun for the user.
local function presentRun(entries, calendar, no)
  local run, isOpen = datedRun(calendar, no)
  local latest = run and findLatest(entries, no)
  if latest then run = math.max(run, entries[latest + CHALLENGE_ENTRY.run]) end
  return run, isOpen, run and findRun(entries, no, run)
end

local function joinChallenge(user, calendar, challenge, now)
  local run, isOpen, at = presentRun(user.challenges or NOTHING, calendar, challenge.no)
  if not isOpen then return REFUSED.challengeClosed end
  at = at or beginRun(user, calendar, challenge.no, run, run, now)
  if user.challenges[at + CHALLENGE_ENTRY.joinedAt] > 0 then return nil end
  user.challenges[at + CHALLENGE_ENTRY.joinedAt] = now
  return nil, at, CHALLENGE_STEP.joined
end

local function leaveChallenge(user, calendar, challenge)
  local entries = user.challenges or NOTHING
  local _, _, at = presentRun(entries, calendar, challenge.no)
  if not at or entries[at + CHALLENGE_ENTRY.joinedAt] == 0 then return nil end
  if entries[at + CHALLENGE_ENTRY.completedAt] > 0 then return REFUSED.challengeCompleted end
  entries[at + CHALLENGE_ENTRY.joinedAt], entries[at + CHALLENGE_ENTRY.progress] = 0, {}
  return nil, at, CHALLENGE_STEP.left
end

local function claimChallenge(user, calendar, challenge, now, run)
  local entries = user.challenges or NOTHING
  local at = findRun(entries, challenge.no, run)
  local completedAt = at and entries[at + CHALLENGE_ENTRY.completedAt] or 0
  if completedAt == 0 then return REFUSED.challengeNotCompleted end
  if entries[at + CHALLENGE_ENTRY.claimedAt] > 0 then return nil end
  local isOver = run < presentRun(entries, calendar, challenge.no) - 1
  if isOver or challenge.claimMs and now >= completedAt + challenge.claimMs then
    return REFUSED.rewardsLapsed
  end
  entries[at + CHALLENGE_ENTRY.claimedAt] = now
  return nil, at, CHALLENGE_STEP.claimed
end

local function completeByHand(user, calendar, challenge, now)
  local run, isOpen, at = presentRun(user.challenges or NOTHING, calendar, challenge.no)
  if not isOpen then return REFUSED.challengeClosed end
  at = at or beginRun(user, calendar, challenge.no, run, run, now)
  local entries = user.challenges
  if entries[at + CHALLENGE_ENTRY.completedAt] > 0 then return nil end
  entries[at + CHALLENGE_ENTRY.completedAt] = now
  if not challenge.isClaimed then entries[at + CHALLENGE_ENTRY.claimedAt] = now end
  return nil, at, CHALLENGE_STEP.completed
end

-- Takes the step that a correction asks for. Returns why it is refused, or nil and a function that reports
-- the step and gives the rewards within the evaluation; nothing if nothing changes.
local function prepareStep(context, user, calendar, challenge, correction)
  local operation, run = correction[CORRECTION.operation], correction[CORRECTION.amount]
  local take = operation == CORRECT.joinChallenge and joinChallenge
    or operation == CORRECT.leaveChallenge and leaveChallenge
    or operation == CORRECT.claimChallenge and claimChallenge or completeByHand
  local refusal, at, step = take(user, calendar, challenge, context.now, run)
  if refusal or not at then return refusal end
  local isGiven = step == CHALLENGE_STEP.claimed
    or step == CHALLENGE_STEP.completed and user.challenges[at + CHALLENGE_ENTRY.claimedAt] > 0
  return nil, function(result)
    reportChallenge(context.out, beginChallenges(context.out), user.challenges, at, step)
    if isGiven then giveRewards(context, user, challenge, result) end
    return #context.out
  end
end
