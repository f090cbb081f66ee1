--- @include "extendStreak"
--- @include "settleStreaks"
--- @include "timeOf"
--- @include "userState"

local PAUSES_MAX = 100
-- Longer than a month and a journey: a pause that ended before cannot cover a missed period any more.
local PAUSE_KEPT_DAYS = 70

local function grantFreeze(user, rules)
  local max = timeOf(rules).freezes.max
  if user.freezes >= max then return REFUSED.allFreezes, max end
  user.freezes = user.freezes + 1
end

-- Keeps the pauses for which `keeps` is true.
local function keepPauses(user, keeps)
  local kept, pauses = {}, user.pauses or {}
  for at = 0, #pauses - 1, PAUSE.size do
    if keeps(pauses[at + PAUSE.id], pauses[at + PAUSE.lastDay]) then
      for i = 1, PAUSE.size do kept[#kept + 1] = pauses[at + i] end
    end
  end
  user.pauses = #kept > 0 and kept
end

local function pause(user, day, id, first, last)
  if first < day then return REFUSED.pauseInPast end
  keepPauses(user, function(_, ended) return ended >= day - PAUSE_KEPT_DAYS end)
  local pauses = user.pauses or {}
  for at = 0, #pauses - 1, PAUSE.size do
    if pauses[at + PAUSE.firstDay] <= last and pauses[at + PAUSE.lastDay] >= first then
      return REFUSED.pausesOverlap
    end
  end
  if #pauses >= PAUSE.size * PAUSES_MAX then return REFUSED.allPauses end
  local n = #pauses
  pauses[n + PAUSE.id], pauses[n + PAUSE.firstDay], pauses[n + PAUSE.lastDay] = id, first, last
  user.pauses = pauses
end

-- Restores the lost streak in force: it can be extended in the current period. If the user has begun another
-- streak since, both become one.
local function restore(user, rules, calendar)
  local f = rules.streak.frequency
  local streak, base = user.streak, (f - 1) * STREAK.size
  if not wantsStreak(user) then return REFUSED.streakOff end
  if streak[base + STREAK.lostLength] == 0 then return REFUSED.noLostStreak end
  streak[base + STREAK.firstDay] = streak[base + STREAK.lostFirstDay]
  streak[base + STREAK.length] = streak[base + STREAK.length] + streak[base + STREAK.lostLength]
  streak[base + STREAK.lostLength], streak[base + STREAK.lostFirstDay] = 0, 0
  local before = calendar.periods[f] - 1
  if streak[base + STREAK.lastPeriod] < before then
    streak[base + STREAK.lastPeriod], streak[base + STREAK.slack] = before, 0
  end
end

-- Ends the streaks of all frequencies, if there is one in force. Their last periods stay: a period is
-- extended once, and a restored streak goes on from where it was.
local function reset(user, rules, calendar)
  if streakInForce(user, rules) == 0 then return REFUSED.noStreak end
  loseStreaks(user)
  --- @include "replacePeriods"
  forgetPeriods(user, calendar, rules.streak.frequency)
end

-- Carries out an administrator's operation on a streak (AMENDMENT). If it is impossible, returns the reason
-- (REFUSED) and the limit, if the reason is one.
local function amendStreak(user, rules, calendar, amendment)
  local operation, id = amendment[AMENDMENT.operation], amendment[AMENDMENT.pauseId]
  openToChange(user)
  if operation == AMEND.freeze then return grantFreeze(user, rules) end
  if operation == AMEND.pause then
    local first, last = amendment[AMENDMENT.firstDay], amendment[AMENDMENT.lastDay]
    return pause(user, calendar.periods[FREQUENCY.daily], id, first, last)
  end
  if operation == AMEND.restore then return restore(user, rules, calendar) end
  if operation == AMEND.reset then return reset(user, rules, calendar) end
  keepPauses(user, function(pauseId) return pauseId ~= id end)
end
