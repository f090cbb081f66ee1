--- @include "nothing"

local BOOSTS_MAX = 20

-- Gives the user the boosts (ScriptChallenge) that challenges have brought in this change, from now on.
-- Forgets boosts that have ended, and those that end first if there are too many.
local function giveBoosts(user, result, now)
  local kept = {}
  for at = 0, #(user.boosts or NOTHING) - 1, USER_BOOST.size do
    if user.boosts[at + USER_BOOST.till] > now then
      for i = 1, USER_BOOST.size do kept[#kept + 1] = user.boosts[at + i] end
    end
  end
  for _, boost in ipairs(result.boosts) do
    local n = #kept
    kept[n + USER_BOOST.no], kept[n + USER_BOOST.system] = boost.no, boost.system
    kept[n + USER_BOOST.multiplier] = boost.multiplier
    kept[n + USER_BOOST.from], kept[n + USER_BOOST.till] = now, now + boost.ms
  end
  while #kept > BOOSTS_MAX * USER_BOOST.size do
    local first = 0
    for at = USER_BOOST.size, #kept - 1, USER_BOOST.size do
      if kept[at + USER_BOOST.till] < kept[first + USER_BOOST.till] then first = at end
    end
    for _ = 1, USER_BOOST.size do table.remove(kept, first + 1) end
  end
  user.boosts, result.boosts = kept, false
end
