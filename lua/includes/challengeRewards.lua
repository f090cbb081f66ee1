--- @include "offFastPath"

-- Makes the evaluation give the rewards of a challenge: points by triggers (awardPoints.lua), freezes after
-- the streaks are up to date (giveFreezes.lua), boosts after the points (giveBoosts.lua).
local function giveRewards(context, user, challenge, result)
  -- Only without the fast path, everything that follows from a reward is looked at.
  result.isFastPath = false
  result.challenges = result.challenges or {}
  result.challenges[challenge.no] = true
  if challenge.freezes then result.freezes = (result.freezes or 0) + challenge.freezes end
  if challenge.boost then
    result.boosts = result.boosts or {}
    table.insert(result.boosts, challenge.boost)
  end
  local no = challenge.achievement
  if no and (open(user).achievements[no] or 0) <= 0 then
    offFastPath().complete(user, no, context.now, result)
  end
end
