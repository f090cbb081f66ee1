--- @include "userGroups"
--- @include "findEntry"
--- @include "completeAchievements"
--- @include "nothing"
--- @include "ranking"
--- @include "rankingOrder"
--- @include "scoreAfter"
--- @include "settleStreaks"
--- @include "timeOf"

-- Whether the user is not on the ranking although it has room for the user's score, because it was full
-- before.
local function mayReturn(context, user, rule, entry, userId)
  local boards = user.boards
  local score, ticket = boards[entry + BOARD_ENTRY.score], boards[entry + BOARD_ENTRY.ticket]
  if score <= leastScore(rule) or ticket == TICKET.hidden or ticket == TICKET.away then return false end
  local group = rule.breakdown and groupOf(rule.breakdown, user) or not rule.breakdown and ''
  if not group then return false end
  local ranking = openRanking(context, rule, boards[entry + BOARD_ENTRY.run], group)
  return hasRoom(ranking, score) and (ticket == '' or not call('ZSCORE', ranking.key, ticket .. userId))
end

-- Finds achievements and leaderboards that the user qualified for before they were activated, and prepares
-- the evaluation of the user: the result takes the peaks of all counters; the rules keep only leaderboards
-- on which the user's score will change, or to which the user may return. `past`: flat list of PAST_SCORE;
-- `filled`: false or FILLED.
-- Returns whether anything was found. The user has been settled, and is not changed here.
local function prepareActivation(context, user, rules, calendar, userId, past, filled)
  local peaks, result, boards, pastScores = {}, context.result, {}, {}
  for at = 0, #past - 1, PAST_SCORE.size do
    pastScores[past[at + PAST_SCORE.board]] = past[at + PAST_SCORE.score]
  end
  local highest, isFilled = NOTHING, false
  if filled then
    --- @include "fillCounters"
    highest, isFilled = fillCounters(user, filled)
  end
  for no, total in pairs(user.counters) do peaks[no] = math.max(total, 0) end
  for no, peak in pairs(user.peaks or NOTHING) do peaks[no] = peak end
  for no, peak in pairs(highest) do peaks[no] = peak end
  result.rules, result.peaksBefore, result.peaksAfter, result.added = rules, {}, peaks, {}
  result.completed, result.streakLength = NOTHING, streakInForce(user, rules)
  result.anniversaries, result.day = timeOf(rules).anniversaries, calendar.periods[FREQUENCY.daily]

  -- Completes the achievements to find them, then undoes that.
  completeAchievements(user, rules, result, false, context.now)
  if filled then
    --- @include "fillRepeats"
    isFilled = fillRepeats(user, rules, filled[FILLED.repeats]) or isFilled
  end
  for i = 1, #result.completed do user.achievements[math.abs(result.completed[i])] = nil end

  for i = 1, #rules.boards do
    local rule = rules.boards[i]
    local entry, run = findEntry(user.boards, rule.no), calendar.runs[rule.no]
    local score = user.boards[entry + BOARD_ENTRY.score] or leastScore(rule)
    rule.past = pastScores[rule.no]
    if run and scoreAfter(context, user, rule, rules, calendar, result, score) ~= score then
      boards[#boards + 1] = rule
    elseif run and user.boards[entry + BOARD_ENTRY.run] == run
      and mayReturn(context, user, rule, entry, userId) then
      -- rankUser then ranks the user again, with the same score.
      rule.hides = false
      boards[#boards + 1] = rule
    end
  end
  rules.boards = boards
  return #result.completed > 0 or #boards > 0 or isFilled
end
