-- Makes the evaluation give the rewards of a challenge: points by triggers (awardPoints.lua), freezes after
-- the streaks are up to date (giveFreezes.lua), achievements after anniversaries of the past
-- (completeAchievements.lua), boosts after the points (giveBoosts.lua).
local function giveRewards(challenge, result)
  -- Only without the fast path, everything that follows from a reward is looked at.
  result.isFastPath = false
  result.challenges = result.challenges or {}
  result.challenges[challenge.no] = true
  if challenge.freezes then result.freezes = (result.freezes or 0) + challenge.freezes end
  if challenge.boost then
    result.boosts = result.boosts or {}
    table.insert(result.boosts, challenge.boost)
  end
  if challenge.achievement then
    result.rewarded = result.rewarded or {}
    table.insert(result.rewarded, challenge.achievement)
  end
end
