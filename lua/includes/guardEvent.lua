--- @include "calendars"
--- @include "decimalSum"

-- Returns the part of a limit's sum that is left for `value`, false if there is room for all of it. An event
-- that lowers the sum is always allowed.
local function room(limit, used, value)
  if limit and value > 0 and decimalSum(used, value) > limit then return decimalSum(limit, -used) end
  return false
end

-- Checks an event against the guards of its metric (docs/guards.md) and counts it. Hours are those of UTC,
-- days are local.
-- Returns the value that counts and the guard that reduced it last; or false, the guard that refuses the
-- event, and the instant (ms) from which on it may count, 0 if waiting does not help. A refused event is not
-- counted.
local function guardEvent(user, rules, value, calendar, now)
  local guards, states = rules.guards, user.guards
  local state = states and states[rules.metric] or { GUARD_STATE.zeros }
  -- The day does not go back, so that nobody gets a second day by moving to another zone and back.
  local hour = floor(now / 3600000)
  local day = math.max(calendar.periods[FREQUENCY.daily], state[GUARD_STATE.day])
  local hourEvents, hourValue, dayEvents, dayValue = 0, 0, 0, 0
  if state[GUARD_STATE.hour] == hour then
    hourEvents, hourValue = state[GUARD_STATE.hourEvents], state[GUARD_STATE.hourValue]
  end
  if state[GUARD_STATE.day] == day then
    dayEvents, dayValue = state[GUARD_STATE.dayEvents], state[GUARD_STATE.dayValue]
  end
  local function nextHour() return (hour + 1) * 3600000 end
  local function nextDay() return endOf(calendar, FREQUENCY.daily, day) * 1000 end

  if guards.min and value < guards.min then return false, GUARD.minValue, 0 end
  local reducedBy
  if guards.max and value > guards.max then
    if not guards.clamps or guards.max == 0 then return false, GUARD.maxValue, 0 end
    value, reducedBy = guards.max, GUARD.maxValue
  end
  local allowedAt = state[GUARD_STATE.countedAt] + (guards.cooldownMs or 0)
  if guards.cooldownMs and now < allowedAt then return false, GUARD.cooldownSeconds, allowedAt end
  if guards.dayEvents and dayEvents >= guards.dayEvents then return false, GUARD.limits, nextDay() end
  if guards.hourEvents and hourEvents >= guards.hourEvents then return false, GUARD.limits, nextHour() end
  local left = room(guards.dayValue, dayValue, value)
  if left then
    if not guards.clamps or left <= 0 then return false, GUARD.limits, nextDay() end
    value, reducedBy = left, GUARD.limits
  end
  left = room(guards.hourValue, hourValue, value)
  if left then
    if not guards.clamps or left <= 0 then return false, GUARD.limits, nextHour() end
    value, reducedBy = left, GUARD.limits
  end
  -- Nothing would be left of the event, or less than one event must have.
  if guards.min and value < guards.min then return false, GUARD.limits, 0 end

  user.guards = states or {}
  user.guards[rules.metric] = { now, hour, hourEvents + 1, decimalSum(hourValue, value),
    day, dayEvents + 1, decimalSum(dayValue, value) }
  return value, reducedBy
end
