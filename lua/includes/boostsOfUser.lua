-- Adds the numbers of the boosts of a user (flat list of USER_BOOST) in a points system at an instant to
-- `used`, a list or nil. Returns the list, nil if there are none, and their factor.
local function boostsOfUser(used, boosts, system, instant)
  local product = 1
  for at = 0, #boosts - 1, USER_BOOST.size do
    if boosts[at + USER_BOOST.system] == system and instant >= boosts[at + USER_BOOST.from]
      and instant < boosts[at + USER_BOOST.till] then
      used = used or {}
      used[#used + 1] = boosts[at + USER_BOOST.no]
      product = product * boosts[at + USER_BOOST.multiplier]
    end
  end
  return used, product
end
