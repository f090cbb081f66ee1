--- @include "decimalSum"

local function inWindow(window, now, offsetMs)
  local second = floor((now + offsetMs) / 1000) % 86400
  local from, to = window[WINDOW.from], window[WINDOW.to]
  if from <= to then return second >= from and second < to end
  return second >= from or second < to
end

-- Returns the user's score on a leaderboard after this change.
local function scoreAfter(context, user, rule, rules, calendar, result, before)
  local by, of = rule.by, rule.of
  local gained
  if by == RANK_BY.streak then
    return result.streakLength
  elseif by == RANK_BY.metric then
    if not rule.gain then return user.counters[of] or 0 end
    gained = of == rules.counter and result.value
  else
    if not rule.gain then return user.points[of] or 0 end
    gained = result.added[of]
  end
  local window = rule.window
  if not gained or gained == 0 then return before end
  if window and not inWindow(window, context.now, calendar.offsetMs) then return before end
  return decimalSum(before, gained)
end
