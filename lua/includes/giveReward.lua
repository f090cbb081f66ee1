--- @include "blockUser"
--- @include "nothing"
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
  local amounts, points = {}, reward[REWARD.points]
  for at = 0, #points - 1, REWARD_POINTS.size do
    amounts[points[at + REWARD_POINTS.system]] = points[at + REWARD_POINTS.amount]
  end
  for _, system in ipairs(rules.points) do
    local amount = amounts[system.no]
    if amount then system.boosts = NOTHING end
    for _, trigger in ipairs(system.triggers) do
      if trigger.on == TRIGGER.given then trigger.no, trigger.points = reward[REWARD.trigger], amount or 0 end
    end
  end
  return true
end
