--- @include "periodEnds"
--- @include "decimalSum"
--- @include "nothing"

-- Returns the part of a limit's sum that is left for `value`, false if there is room for all of it. An event
-- that lowers the sum is always allowed.
local function room(limit, used, value)
  if limit and value > 0 and decimalSum(used, value) > limit then return decimalSum(limit, -used) end
  return false
end

local function refuseUntilDay(calendar, day)
  return false, GUARD.limits, endOf(calendar, FREQUENCY.daily, day) * 1000
end

local function refuseUntilHour(hour)
  return false, GUARD.limits, (hour + 1) * 3600000
end

-- Checks an event against the guards of its metric (docs/guards.md) and counts it. Hours are those of UTC,
-- days are local.
-- Returns the value that counts and the guard that reduced it last; or false, the guard that refuses the
-- event, and the instant (ms) from which on it may count, 0 if waiting does not help. A refused event is not
-- counted.
local function guardEvent(user, rules, value, calendar, now)
  local guards, states = rules.guards, user.guards
  local state = states and states[rules.metric] or NOTHING
  local cooldown, dayEventsMax, dayValueMax = guards.cooldownMs, guards.dayEvents, guards.dayValue
  local hourEventsMax, hourValueMax = guards.hourEvents, guards.hourValue

  if guards.min and value < guards.min then return false, GUARD.minValue, 0 end
  local reducedBy
  if guards.max and value > guards.max then
    if not guards.clamps or guards.max == 0 then return false, GUARD.maxValue, 0 end
    value, reducedBy = guards.max, GUARD.maxValue
  end
  if cooldown then
    local allowedAt = (state[GUARD_STATE.countedAt] or 0) + cooldown
    if now < allowedAt then return false, GUARD.cooldownSeconds, allowedAt end
  end
  local day, dayEvents, dayValue, hour, hourEvents, hourValue
  if dayEventsMax or dayValueMax then
    day, dayEvents, dayValue = calendar.periods[FREQUENCY.daily], 0, 0
    local before = state[GUARD_STATE.day]
    -- The day does not go back, so that nobody gets a second day by moving to another zone and back.
    if before and before >= day then
      day = before
      dayEvents, dayValue = state[GUARD_STATE.dayEvents] or 0, state[GUARD_STATE.dayValue] or 0
    end
    if dayEventsMax and dayEvents >= dayEventsMax then return refuseUntilDay(calendar, day) end
  end
  if hourEventsMax or hourValueMax then
    hour, hourEvents, hourValue = floor(now / 3600000), 0, 0
    if state[GUARD_STATE.hour] == hour then
      hourEvents, hourValue = state[GUARD_STATE.hourEvents] or 0, state[GUARD_STATE.hourValue] or 0
    end
    if hourEventsMax and hourEvents >= hourEventsMax then return refuseUntilHour(hour) end
  end
  local left = dayValueMax and room(dayValueMax, dayValue, value)
  if left then
    if not guards.clamps or left <= 0 then return refuseUntilDay(calendar, day) end
    value, reducedBy = left, GUARD.limits
  end
  left = hourValueMax and room(hourValueMax, hourValue, value)
  if left then
    if not guards.clamps or left <= 0 then return refuseUntilHour(hour) end
    value, reducedBy = left, GUARD.limits
  end
  -- Nothing would be left of the event, or less than one event must have.
  if guards.min and value < guards.min then return false, GUARD.limits, 0 end

  if not (cooldown or hour or day) then return value, reducedBy end
  -- In the order of GUARD_STATE.
  user.guards = states or {}
  user.guards[rules.metric] = {
    cooldown and now or nil,
    hour, hourEventsMax and hourEvents + 1 or nil, hourValueMax and decimalSum(hourValue, value) or nil,
    day, dayEventsMax and dayEvents + 1 or nil, dayValueMax and decimalSum(dayValue, value) or nil,
  }
  return value, reducedBy
end
