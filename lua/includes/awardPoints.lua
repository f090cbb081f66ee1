-- True when this is an instant, UTC, or a local day of the user's at whose start a time trigger fires.
local function isTick(trigger, user, occasion)
  local seconds, day, every = occasion.tickAt, occasion.tickDay, trigger.threshold
  if not seconds or seconds <= trigger.of then return false end
  if trigger.hourly then return seconds % every == 0 end
  return floor(day / every) > floor(user.settledDay / every)
end

-- How often a trigger fires in this change.
local function timesFired(trigger, user, occasion)
  local on = trigger.on
  if on == 'metric' then
    local after = occasion.peaksAfter[trigger.of]
    if not after then return 0 end
    return floor(after / trigger.threshold) - floor(occasion.peaksBefore[trigger.of] / trigger.threshold)
  elseif on == 'streak' then
    return occasion.extended and occasion.streakLength % trigger.of == 0 and 1 or 0
  elseif on == 'achievement' then
    return occasion.completed[-trigger.of] and 1 or 0
  elseif on == 'time' then
    return isTick(trigger, user, occasion) and 1 or 0
  end
  return user.isNew and 1 or 0
end

-- A positive amount times the product of all boosts that match, rounded once: down if any says so, else nearest if any,
-- else up. A product that is a whole number, or halfway to the next, but for the noise of binary fractions is that number.
local function boosted(amount, boosts, user, userId, day)
  local product, rounding, used = 1, 'up', nil
  for i = 1, #boosts do
    local boost = boosts[i]
    if day >= boost.from and (not boost.to or day <= boost.to) and (not boost.user or boost.user == userId)
      and matchesUser(boost.users, user) then
      used = used or {}
      used[#used + 1] = boost.no
      product = product * boost.multiplier
      if boost.rounding == 'down' or (boost.rounding == 'nearest' and rounding == 'up') then rounding = boost.rounding end
    end
  end
  if not used then return amount, NOTHING end
  local exact = amount * product
  local nearest = floor(exact + 0.5 + 1e-6)
  if math.abs(exact - nearest) < 1e-6 or rounding == 'nearest' then return nearest, used end
  return rounding == 'down' and floor(exact) or math.ceil(exact), used
end

-- Fires the triggers of every system. Totals stay within 0 and the maximum; what is reported is what really changed:
-- system, number of awards, awards; each with trigger, awarded, total after, number of boosts, boosts.
-- Answers the system that an event which must not overdraw it would have overdrawn.
local function awardPoints(user, userId, rules, day, occasion, out)
  local systems = rules.points
  -- Nothing else happens to a steady user.
  local onlyMetrics = occasion.steady and occasion.completed == NOTHING
  for s = 1, #systems do
    local system = systems[s]
    local no, triggers = system.no, system.triggers
    local before = user.points[no] or 0
    local total, header, awards = before, #out, 0
    local first, last = 1, #triggers
    if onlyMetrics then first, last = system.firstMetric, system.lastMetric end
    for t = first, last do
      local trigger = triggers[t]
      local times = timesFired(trigger, user, occasion)
      if times > 0 and (not trigger.users or matchesUser(trigger.users, user)) then
        local amount, boosts = trigger.points * times, NOTHING
        if amount > 0 and #system.boosts > 0 then amount, boosts = boosted(amount, system.boosts, user, userId, day) end
        local target = total + amount
        if target < 0 then
          if trigger.block then return no end
          target = 0
        elseif system.max and target > system.max then
          target = math.max(system.max, math.min(total, target))
        end
        if target ~= total then
          awards = awards + 1
          out[header + 1], out[header + 2] = no, awards
          local n = #out
          out[n + 1], out[n + 2], out[n + 3], out[n + 4] = trigger.no, target - total, target, #boosts
          if boosts ~= NOTHING then
            for i = 1, #boosts do out[n + 4 + i] = boosts[i] end
          end
          total = target
        end
      end
    end
    occasion.added[no] = total - before
    if awards > 0 then
      user.points[no] = total
      occasion.systems = occasion.systems + 1
    end
  end
end
