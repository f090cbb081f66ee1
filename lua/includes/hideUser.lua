--- @include "places"
--- @include "rankMoves"
--- @include "ranking"

-- A hidden user keeps the score on the leaderboard but has no place. The ticket is then TICKET.hidden.

-- Makes the evaluation hide the user from a leaderboard, or show the user again. `earlier`: flat list of EARLIER_RANKING.
-- Returns false if nothing changes.
local function prepareHiding(user, rules, calendar, no, hides, earlier)
  local boards, place = user.boards, findPlace(user.boards, no)
  if (boards[place + PLACE.ticket] == TICKET.hidden) == hides and #earlier == 0 then return false end
  for _, rule in ipairs(rules.boards) do
    if rule.no == no then
      if not boards[place + PLACE.board] then beginRun(boards, place, no, calendar.runs[no] or 0, rules) end
      rule.hides, rules.left = hides, { rule = rule, earlier = earlier }
      return true
    end
  end
  return false
end

-- Removes the user from a ranking of an earlier run, whose ticket the user's state no longer has. Returns rank and score, or nil.
local function leaveEarlier(context, ranking)
  for _, member in ipairs(call('ZREVRANGE', ranking.key, '0', '-1')) do
    if string.sub(member, TICKET.size + 1) == context.userId then
      local score = tonumber(call('ZSCORE', ranking.key, member))
      local move, rank = moveFrom(context, ranking, string.sub(member, 1, TICKET.size))
      leave(ranking, move)
      return rank + 1, score
    end
  end
end

-- Removes the user from rankings of runs before the one in the user's state. Reports the places (PLACE_CHANGE); returns their number.
local function leaveEarlierRuns(context, user, left)
  local rule, earlier, out, count = left.rule, left.earlier, context.out, 0
  local present = user.boards[findPlace(user.boards, rule.no) + PLACE.run]
  for at = 0, #earlier - 1, EARLIER_RANKING.size do
    local run, group = earlier[at + EARLIER_RANKING.run], earlier[at + EARLIER_RANKING.group]
    local ranking = run ~= present and openRanking(context, rule, run, group)
    local rank, score
    if ranking then rank, score = leaveEarlier(context, ranking) end
    if rank then
      local n = #out
      out[n + PLACE_CHANGE.board], out[n + PLACE_CHANGE.run] = rule.no, run
      out[n + PLACE_CHANGE.rank], out[n + PLACE_CHANGE.previousRank] = false, rank <= rule.max and rank
      out[n + PLACE_CHANGE.threshold] = 0
      out[n + PLACE_CHANGE.score], out[n + PLACE_CHANGE.previousScore] = score, score
      if rule.breakdown then out[n + PLACE_CHANGE.board], out[n + PLACE_CHANGE.group] = -rule.no, group end
      completeLater(context, n, false, false, ranking, false)
      count = count + 1
    end
  end
  return count
end
