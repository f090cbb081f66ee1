--- @include "decimalSum"
--- @include "matches"
--- @include "nothing"

-- Whether a time trigger fires at this instant: every so many hours in UTC, or at the start of a local day of
-- the user.
local function isTick(trigger, user, result)
  local seconds, day, every = result.tickAt, result.day, trigger.threshold
  if not seconds or seconds <= trigger.of then return false end
  if trigger.hourly then return seconds % every == 0 end
  return floor(day / every) > floor(user.settledDay / every)
end

-- Returns how many multiples of the threshold an event crosses that adds a positive value. What takes points
-- follows the total: after a fall of the total, a purchase costs as much as before.
local function timesSpent(trigger, user, value)
  if value <= 0 then return 0 end
  local total = user.counters[trigger.of]
  return floor(total / trigger.threshold) - floor(decimalSum(total, -value) / trigger.threshold)
end

-- Returns how often a trigger fires in this change.
local function timesFired(trigger, user, result)
  local on = trigger.on
  if on == TRIGGER.metric then
    local after = result.peaksAfter[trigger.of]
    if not after then return 0 end
    if trigger.points < 0 then
      return timesSpent(trigger, user, result.addends and result.addends[trigger.of] or result.value)
    end
    return floor(after / trigger.threshold) - floor(result.peaksBefore[trigger.of] / trigger.threshold)
  elseif on == TRIGGER.streak then
    return result.extended and result.streakLength % trigger.of == 0 and 1 or 0
  elseif on == TRIGGER.achievement then
    return result.completed[-trigger.of] and 1 or 0
  elseif on == TRIGGER.time then
    return isTick(trigger, user, result) and 1 or 0
  elseif on == TRIGGER.creation then
    return user.isNew and 1 or 0
  elseif on == TRIGGER.given then
    return 1
  elseif on == TRIGGER.challenge then
    return result.challenges and result.challenges[trigger.of] and 1 or 0
  end
  error('unknown trigger type ' .. tostring(on))
end

-- Multiplies a positive amount by all boosts that match. The product is rounded once: down if any boost says
-- so, else to the nearest if any says so, else up. The tolerance is the noise of binary fractions, which
-- grows with the product.
-- Returns the amount and the numbers of the boosts.
local function boosted(amount, system, user, userId, result)
  local boosts, day = system.boosts, result.day
  local product, rounding, used = 1, ROUNDING.up, nil
  for i = 1, #boosts do
    local boost = boosts[i]
    if day >= boost.from and (not boost.to or day <= boost.to) and (not boost.user or boost.user == userId)
      and matchesUser(boost.users, user) then
      used = used or {}
      used[#used + 1] = boost.no
      product = product * boost.multiplier
      local ofBoost = boost.rounding
      if ofBoost == ROUNDING.down or (ofBoost == ROUNDING.nearest and rounding == ROUNDING.up) then
        rounding = ofBoost
      end
    end
  end
  if user.boosts then
    --- @include "boostsOfUser"
    local own
    used, own = boostsOfUser(used, user.boosts, system.no, result.instant)
    if own ~= 1 then product, rounding = product * own, ROUNDING.down end
  end
  if not used then return amount, NOTHING end
  local exact = amount * product
  local noise = math.max(1e-6, exact * 2 ^ -51)
  local nearest = floor(exact + 0.5 + noise)
  if math.abs(exact - nearest) < noise or rounding == ROUNDING.nearest then return nearest, used end
  return rounding == ROUNDING.down and floor(exact) or math.ceil(exact), used
end

-- Fires the triggers of every system. Totals stay within 0 and the maximum. Reports changes of totals:
-- SYSTEM, then each AWARD with its boosts; result.systems counts the systems.
-- Returns the system whose total would go below 0 although a trigger forbids that; then the event is refused.
local function awardPoints(user, userId, rules, result, out)
  local systems = rules.points
  -- A isFastPath user can only trigger these.
  local onlyMetrics = result.isFastPath and result.completed == NOTHING
  local n = #out
  for s = 1, #systems do
    local system = systems[s]
    local no, triggers = system.no, system.triggers
    local before = user.points[no] or 0
    local total, header, awards = before, n, 0
    local first, last = 1, #triggers
    if onlyMetrics then first, last = system.firstMetric, system.lastMetric end
    for t = first, last do
      local trigger = triggers[t]
      local times = timesFired(trigger, user, result)
      if times > 0 and (not trigger.users or matchesUser(trigger.users, user)) then
        local amount, boosts = trigger.points * times, NOTHING
        if amount > 0 and (#system.boosts > 0 or user.boosts and system.boosts ~= NOTHING)
          and trigger.on ~= TRIGGER.challenge then
          amount, boosts = boosted(amount, system, user, userId, result)
        end
        local target = total + amount
        if target < 0 then
          if trigger.block then return no end
          target = 0
        elseif system.max and target > system.max then
          target = math.max(system.max, math.min(total, target))
        end
        if target ~= total then
          awards = awards + 1
          if awards == 1 then n = n + SYSTEM.size end
          out[header + SYSTEM.system], out[header + SYSTEM.awardCount] = no, awards
          out[n + AWARD.trigger], out[n + AWARD.awarded] = trigger.no, target - total
          out[n + AWARD.total], out[n + AWARD.boostCount] = target, #boosts
          if boosts ~= NOTHING then
            for i = 1, #boosts do out[n + AWARD.size + i] = boosts[i] end
          end
          n = n + AWARD.size + #boosts
          total = target
        end
      end
    end
    result.added[no] = total - before
    if awards > 0 then
      user.points[no] = total
      result.systems = result.systems + 1
    end
  end
end
