--- @include "completeAchievements"
--- @include "nothing"
--- @include "places"
--- @include "rankUser"
--- @include "ranking"
--- @include "scoreAfter"
--- @include "settleStreaks"
--- @include "userState"

-- Whether the user has left a ranking that was full, and it has a place for the user's score now.
local function mayReturn(context, user, rule, place, userId)
  local boards = user.boards
  local score, ticket = boards[place + PLACE.score] or 0, boards[place + PLACE.ticket]
  if score <= 0 or ticket == TICKET.hidden then return false end
  local group = rule.breakdown and groupOf(rule.breakdown, open(user).attributes) or not rule.breakdown and ''
  if not group then return false end
  local ranking = openRanking(context, rule, boards[place + PLACE.run], group)
  local lowest = lowestOf(ranking)
  return (not lowest or score > lowest) and (ticket == '' or not call('ZSCORE', ranking.key, ticket .. userId))
end

-- Finds what the user qualifies for among the things activated since, and prepares its evaluation: the occasion takes the peaks of all
-- counters; the rules keep only the leaderboards on which the user's score will change, or to which the user may return. Returns
-- whether there is anything. The user has been settled, and is not changed here.
local function prepareActivation(context, user, rules, calendar, userId)
  local peaks, occasion, boards = {}, context.occasion, {}
  for no, total in pairs(user.counters) do peaks[no] = math.max(total, 0) end
  for no, peak in pairs(user.peaks or NOTHING) do peaks[no] = peak end
  occasion.rules, occasion.peaksBefore, occasion.peaksAfter, occasion.added = rules, {}, peaks, {}
  occasion.completed, occasion.streakLength = NOTHING, streakInForce(user, rules)

  -- Completes the achievements to find them, then takes them back.
  completeAchievements(user, rules, occasion, false, context.now)
  for i = 1, #occasion.completed do user.achievements[occasion.completed[i]] = nil end

  for i = 1, #rules.boards do
    local rule = rules.boards[i]
    local place, run = findPlace(user.boards, rule.no), calendar.runs[rule.no]
    local score = user.boards[place + PLACE.score] or 0
    if run and scoreAfter(context, user, rule, rules, calendar, occasion, score) ~= score then
      boards[#boards + 1] = rule
    elseif run and user.boards[place + PLACE.run] == run and mayReturn(context, user, rule, place, userId) then
      -- rankUser then ranks the user again, with the same score.
      rule.hides = false
      boards[#boards + 1] = rule
    end
  end
  rules.boards = boards
  return #occasion.completed > 0 or #boards > 0
end
