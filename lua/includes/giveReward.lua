--- @include "blockUser"
--- @include "givePoints"
--- @include "userState"

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
