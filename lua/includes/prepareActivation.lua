-- Finds what the user qualifies for among the things activated since, and prepares its evaluation: the occasion takes the peaks of all
-- counters; the rules keep only the leaderboards on which the user's score will change. Returns whether there is anything.
-- The user, who has been settled, stays as it is.
local function prepareActivation(context, user, rules, calendar)
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
    local score = user.boards[findPlace(user.boards, rule.no) + PLACE.score] or 0
    if calendar.runs[rule.no] and scoreAfter(context, user, rule, rules, calendar, occasion, score) ~= score then
      boards[#boards + 1] = rule
    end
  end
  rules.boards = boards
  return #occasion.completed > 0 or #boards > 0
end
