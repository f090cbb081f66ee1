--- @include "giveReward"
--- @include "hideUser"
--- @include "nothing"
--- @include "userState"

-- What an administrator corrects (CORRECTION): operations CORRECT.

-- Sets the points of the trigger that stands for given points.
local function prepareAdjustment(rules, amount)
  for _, system in ipairs(rules.points) do
    for _, trigger in ipairs(system.triggers) do
      if trigger.on == TRIGGER.given then trigger.points = amount end
    end
  end
end

-- Revokes a completed achievement: no progress completes it again. Returns false if the user has not
-- completed it.
local function revokeAchievement(user, prefix, achievement, now)
  if (open(user).achievements[achievement] or 0) <= 0 then return false end
  openToChange(user).achievements[achievement] = -now
  call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(achievement), -1)
  return true
end

-- Carries out a correction other than an adjustment. Returns whether it changed anything.
local function correctUser(context, user, rules, calendar, correction, prefix)
  local operation, no = correction[CORRECTION.operation], correction[CORRECTION.no]
  if operation == CORRECT.revoke then return revokeAchievement(user, prefix, no, context.now) end
  if operation == CORRECT.reward then return prepareReward(user, rules, no, correction[CORRECTION.reward]) end
  local earlier = correction[CORRECTION.earlier] or NOTHING
  if operation == CORRECT.optOut or operation == CORRECT.optIn then
    return prepareAbsence(user, rules, BOARD.optedOut, operation == CORRECT.optOut, DUE.never, earlier)
  end
  if operation == CORRECT.block or operation == CORRECT.unblock then
    local till = correction[CORRECTION.amount]
    return prepareAbsence(user, rules, BOARD.blocked, operation == CORRECT.block, till, earlier)
  end
  return prepareHiding(user, rules, calendar, no, operation == CORRECT.hide, earlier)
end
