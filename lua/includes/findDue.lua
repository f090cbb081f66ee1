-- Finds out what the user has come to qualify for before it was activated, and prepares its evaluation: the peaks of all the
-- user's counters are in the occasion, and of the leaderboards only those are left in the rules on which the user's score is to
-- become another. Answers whether there is anything. The user, who has been settled, stays as it is.
local function findDue(context, user, rules, calendar)
  local peaks, occasion, boards = {}, context.occasion, {}
  for no, total in pairs(user.counters) do peaks[no] = math.max(total, 0) end
  for no, peak in pairs(user.peaks or NOTHING) do peaks[no] = peak end
  occasion.rules, occasion.peaksBefore, occasion.peaksAfter, occasion.added = rules, {}, peaks, {}
  occasion.completed, occasion.streakLength = NOTHING, streakInForce(user, rules)

  -- Tried and taken back.
  completeAchievements(user, rules, occasion, false, context.now)
  for i = 1, #occasion.completed do user.achievements[occasion.completed[i]] = nil end

  for i = 1, #rules.boards do
    local rule = rules.boards[i]
    local score = user.boards[boardAt(user.boards, rule.no) + 2] or 0
    if calendar.runs[rule.no] and scoreAfter(context, user, rule, rules, calendar, occasion, score) ~= score then
      boards[#boards + 1] = rule
    end
  end
  rules.boards = boards
  return #occasion.completed > 0 or #boards > 0
end
