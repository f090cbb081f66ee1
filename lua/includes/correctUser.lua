--- @include "hideUser"
--- @include "nothing"
--- @include "userState"

-- What an administrator corrects (CORRECTION): operation 'adjust', 'revoke', 'hide' or 'show'.

-- Gives the trigger that stands for adjustments its points.
local function prepareAdjustment(rules, amount)
  for _, system in ipairs(rules.points) do
    for _, trigger in ipairs(system.triggers) do
      if trigger.on == 'adjustment' then trigger.points = amount end
    end
  end
end

-- Takes a completed achievement back: no progress completes it again. Returns false if the user has not completed it.
local function revokeAchievement(user, prefix, achievement, now)
  if (open(user).achievements[achievement] or 0) <= 0 then return false end
  openToChange(user).achievements[achievement] = -now
  call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(achievement), -1)
  return true
end

-- Carries out a correction other than an adjustment. Returns whether it changed anything.
local function correctUser(context, user, rules, calendar, correction, prefix)
  local operation, no = correction[CORRECTION.operation], correction[CORRECTION.no]
  if operation == 'revoke' then return revokeAchievement(user, prefix, no, context.now) end
  return prepareHiding(user, rules, calendar, no, operation == 'hide', correction[CORRECTION.earlier] or NOTHING)
end
