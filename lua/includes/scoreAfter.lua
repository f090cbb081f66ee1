--- @include "decimalSum"
--- @include "inWindow"
--- @include "rankingOrder"

-- Returns the score after this change where the best or the latest value counts. `past`: the score by the
-- history (prepareActivation, prepareUndo).
local function scoreByValue(context, rule, rules, calendar, result, before)
  local order, score = rule.order, rule.past
  local isLatest = rule.by == RANK_BY.latest
  if score then
    if rule.mayFall then return score end
    -- Events since then are later.
    if isLatest and before ~= order.least then return before end
  else
    local value, of, window = result.value, rule.of, rule.window
    if not value or of ~= rules.counter and not result.peaksAfter[of] then return before end
    if window and not inWindow(window, context.now + calendar.offsetMs) then return before end
    score = scoreOf(order, value)
    if isLatest then return score end
  end
  return math.max(before, score)
end

-- Returns the user's score on a leaderboard after this change.
local function scoreAfter(context, user, rule, rules, calendar, result, before)
  local by, of = rule.by, rule.of
  local gained
  if by == RANK_BY.streak then
    return result.streakLength
  elseif by == RANK_BY.metric then
    if not rule.gain then return user.counters[of] or 0 end
    -- The counter of a filter has a peak after the event if it has counted the event.
    gained = (of == rules.counter or result.peaksAfter[of]) and result.value
    if gained and result.addends then gained = result.addends[of] or gained end
  elseif by == RANK_BY.points then
    if not rule.gain then return user.points[of] or 0 end
    gained = result.added[of]
  else
    return scoreByValue(context, rule, rules, calendar, result, before)
  end
  if not gained or gained == 0 then return before end
  local window = rule.window
  if window and not inWindow(window, context.now + calendar.offsetMs) then return before end
  return decimalSum(before, gained)
end
