local function inWindow(window, now, offsetMs)
  local second = floor((now + offsetMs) / 1000) % 86400
  local from, to = window[WINDOW.from], window[WINDOW.to]
  if from <= to then return second >= from and second < to end
  return second >= from or second < to
end

-- The score that the user has on a leaderboard after this change, from the one before.
local function scoreAfter(context, user, rule, rules, calendar, occasion, before)
  local total, delta
  if rule.by == 'streak' then
    return occasion.streakLength
  elseif rule.by == 'metric' then
    total, delta = user.counters[rule.of] or 0, rule.of == rules.counter and occasion.value or 0
  else
    total, delta = user.points[rule.of] or 0, occasion.added[rule.of] or 0
  end
  if not rule.gain then return total end
  local window = rule.window
  if delta ~= 0 and (not window or inWindow(window, context.now, calendar.offsetMs)) then
    return decimalSum(before, delta)
  end
  return before
end
