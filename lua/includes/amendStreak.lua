local FREEZES_MAX, PAUSES_MAX = 100, 100
-- The longest period and a journey: a pause that ended before has nothing more to do.
local PAUSE_KEPT_DAYS = 70

local function grantFreeze(user, rules)
  local max = timeOf(rules).freezes.max
  if user.freezes >= (max > 0 and max or FREEZES_MAX) then return 'has all the freezes that a user may have' end
  user.freezes = user.freezes + 1
end

-- Keeps the pauses of which `keeps` is true, and adds one.
local function changePauses(user, keeps, ...)
  local kept, pauses = {}, user.pauses or {}
  for i = 1, #pauses, 3 do
    if keeps(pauses[i], pauses[i + 2]) then
      for j = i, i + 2 do kept[#kept + 1] = pauses[j] end
    end
  end
  for i = 1, select('#', ...) do kept[#kept + 1] = (select(i, ...)) end
  user.pauses = #kept > 0 and kept
end

local function pause(user, day, id, first, last)
  if first < day then return 'can be paused from today on, not before' end
  local pauses = user.pauses or {}
  for i = 1, #pauses, 3 do
    if pauses[i + 1] <= last and pauses[i + 2] >= first then return 'has a pause on some of these days already' end
  end
  changePauses(user, function(_, ended) return ended >= day - PAUSE_KEPT_DAYS end, id, first, last)
  if #user.pauses > 3 * PAUSES_MAX then return 'has as many pauses as a user may have' end
end

-- The streak in force goes on as if it had not been lost: it can be extended in the current period.
local function restore(user, rules, calendar)
  local f = rules.streak.frequency
  local streak, base = user.streak, (f - 1) * STREAK_VALUES
  if not wantsStreak(user) then return 'has turned the streak off' end
  if streak[base + 5] == 0 then return 'has lost no streak' end
  streak[base + 1], streak[base + 5] = streak[base + 1] + streak[base + 5], 0
  local before = calendar.periods[f] - 1
  if streak[base + 3] < before then streak[base + 3], streak[base + 6] = before, 0 end
end

-- What an administrator does to a streak: { 'freeze' }, { 'pause', id, first day, last day }, { 'resume', id }, { 'restore' }.
-- Answers why it cannot be done, or nil.
local function amendStreak(user, rules, calendar, amendment)
  local op, id = amendment[1], amendment[2]
  openToChange(user)
  if op == 'freeze' then return grantFreeze(user, rules) end
  if op == 'pause' then return pause(user, calendar.periods[1], id, amendment[3], amendment[4]) end
  if op == 'restore' then return restore(user, rules, calendar) end
  changePauses(user, function(pauseId) return pauseId ~= id end)
end
