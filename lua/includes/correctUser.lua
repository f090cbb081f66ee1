--- @include "blockUser"
--- @include "givePoints"
--- @include "hideUser"
--- @include "userState"

-- What an administrator corrects (CORRECTION): operations CORRECT.

-- Revokes a completed achievement, however often it was completed: no progress completes it again. Returns
-- false if the user has not completed it.
local function revokeAchievement(user, prefix, achievement, now)
  if (open(user).achievements[achievement] or 0) <= 0 then return false end
  openToChange(user).achievements[achievement] = -now
  local repeats = user.repeats and user.repeats[achievement]
  if repeats then repeats[REPEATS.times] = 0 end
  call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(achievement), -1)
  return true
end

-- Records that the user has the rewards of a run of a leaderboard. Returns false if the user has had them:
-- the runs of a leaderboard give their rewards one after the other.
local function markRewarded(user, board, run)
  local rewarded = open(user).rewarded or {}
  local at = 0
  while rewarded[at + REWARDED.board] and rewarded[at + REWARDED.board] ~= board do
    at = at + REWARDED.size
  end
  if (rewarded[at + REWARDED.run] or run - 1) >= run then return false end
  rewarded[at + REWARDED.board], rewarded[at + REWARDED.run] = board, run
  openToChange(user).rewarded = rewarded
  return true
end

-- Makes the evaluation give the points of a reward, which boosts do not multiply. Returns false if the user
-- has had the reward or is blocked.
local function prepareReward(user, rules, board, reward)
  if endOfBlock(user) or not markRewarded(user, board, reward[REWARD.run]) then return false end
  givePoints(rules, reward[REWARD.points], reward[REWARD.trigger])
  return true
end

-- Carries out a correction other than an adjustment. Returns whether it changed anything.
local function correctUser(context, user, rules, calendar, correction, prefix)
  local operation, no = correction[CORRECTION.operation], correction[CORRECTION.no]
  if operation == CORRECT.revoke then return revokeAchievement(user, prefix, no, context.now) end
  if operation == CORRECT.reward then return prepareReward(user, rules, no, correction[CORRECTION.reward]) end
  if operation == CORRECT.optOut or operation == CORRECT.optIn then
    return prepareAbsence(user, rules, BOARD.optedOut, operation == CORRECT.optOut, DUE.never)
  end
  if operation == CORRECT.block or operation == CORRECT.unblock then
    local till = correction[CORRECTION.amount]
    return prepareAbsence(user, rules, BOARD.blocked, operation == CORRECT.block, till)
  end
  return prepareHiding(user, rules, calendar, no, operation == CORRECT.hide)
end
