-- Returns the factor of a points system at an instant by the boosts of a user (flat list of USER_BOOST).
local function boostOfUser(boosts, system, instant)
  local product = 1
  for at = 0, #boosts - 1, USER_BOOST.size do
    if boosts[at + USER_BOOST.system] == system and instant >= boosts[at + USER_BOOST.from]
      and instant < boosts[at + USER_BOOST.till] then
      product = product * boosts[at + USER_BOOST.multiplier]
    end
  end
  return product
end
