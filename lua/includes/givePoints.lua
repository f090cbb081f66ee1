--- @include "nothing"

-- Makes the evaluation give points (flat list of GIVEN_POINTS), which boosts do not multiply. `no`: number
-- that the awards name instead of a trigger; without it, that of an adjustment.
local function givePoints(rules, points, no)
  local amounts = {}
  for at = 0, #points - 1, GIVEN_POINTS.size do
    amounts[points[at + GIVEN_POINTS.system]] = points[at + GIVEN_POINTS.amount]
  end
  for _, system in ipairs(rules.points) do
    local amount = amounts[system.no]
    if amount then system.boosts = NOTHING end
    for _, trigger in ipairs(system.triggers) do
      if trigger.on == TRIGGER.given then trigger.no, trigger.points = no or trigger.no, amount or 0 end
    end
  end
end
