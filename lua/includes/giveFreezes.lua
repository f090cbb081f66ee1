--- @include "timeOf"
--- @include "userState"

-- Gives the freezes that challenges have brought in this change, up to the maximum.
local function giveFreezes(user, rules, result)
  local count, max = result.freezes, timeOf(rules).freezes.max
  result.freezes = false
  if open(user).freezes < max then openToChange(user).freezes = math.min(user.freezes + count, max) end
end
