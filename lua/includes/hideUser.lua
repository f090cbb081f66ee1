--- @include "boardEntries"
--- @include "findEntry"
--- @include "rankMoves"
--- @include "ranking"
--- @include "rankingOrder"

-- A hidden user keeps the score on the leaderboard but is not on its ranking. The ticket is then
-- TICKET.hidden if an administrator hides the user from this leaderboard, else TICKET.away if the user has
-- opted out of all or is blocked. `hides` of a leaderboard in the rules is the ticket that rankUser sets, or
-- false to show the user.

-- Makes the evaluation hide the user from a leaderboard, or show the user again. `earlier`: flat list of
-- EARLIER_RANKING.
-- Returns false if nothing changes.
local function prepareHiding(user, rules, calendar, no, hides, earlier)
  local boards, entry = user.boards, findEntry(user.boards, no)
  if (boards[entry + BOARD_ENTRY.ticket] == TICKET.hidden) == hides and #earlier == 0 then return false end
  for _, rule in ipairs(rules.boards) do
    if rule.no == no then
      if not boards[entry + BOARD_ENTRY.board] then
        beginRun(boards, entry, rule, calendar.runs[no] or 0, rules)
      end
      rule.hides = hides and TICKET.hidden or isAway(boards) and TICKET.away
      rules.left = earlier
      return true
    end
  end
  return false
end

-- Adds a reason (BOARD) that hides the user from all leaderboards up to `till` (seconds since 1970), or
-- removes it. Returns whether anything changes.
local function setReason(boards, reason, isGiven, till)
  local entry = findEntry(boards, reason)
  local before = boards[entry + BOARD_ENTRY.board] and boards[entry + BOARD_ENTRY.run] or false
  if not isGiven then
    for _ = 1, before and BOARD_ENTRY.size or 0 do table.remove(boards, entry + BOARD_ENTRY.board) end
    return before ~= false
  end
  boards[entry + BOARD_ENTRY.board], boards[entry + BOARD_ENTRY.run] = reason, till
  boards[entry + BOARD_ENTRY.score], boards[entry + BOARD_ENTRY.ticket] = 0, TICKET.hidden
  return before ~= till
end

-- Makes the evaluation hide the user from all leaderboards, or show the user again where no other reason
-- hides the user. The rules keep the leaderboards that this, or a lost streak, can change. Returns false if
-- nothing changes.
local function prepareAbsence(user, rules, reason, isGiven, till, earlier)
  local boards, kept = user.boards, {}
  local before = isAway(boards)
  local isChanged = setReason(boards, reason, isGiven, till)
  local after = isAway(boards)
  for _, rule in ipairs(rules.boards) do
    local ticket = boards[findEntry(boards, rule.no) + BOARD_ENTRY.ticket]
    if before ~= after and ticket and ticket ~= TICKET.hidden then rule.hides = after and TICKET.away end
    if rule.hides ~= nil or rule.by == RANK_BY.streak then kept[#kept + 1] = rule end
  end
  rules.allBoards, rules.boards, rules.left = rules.boards, kept, earlier
  return isChanged or #earlier > 0
end

-- Removes the user from rankings of runs before the one in the user's state. Reports each (BOARD_CHANGE);
-- returns the number of reports.
local function leaveEarlierRuns(context, user, rules)
  local earlier, out, count, ruleOf = rules.left, context.out, 0, {}
  for _, rule in ipairs(rules.allBoards or rules.boards) do ruleOf[rule.no] = rule end
  for at = 0, #earlier - 1, EARLIER_RANKING.size do
    local rule, run = ruleOf[earlier[at + EARLIER_RANKING.board]], earlier[at + EARLIER_RANKING.run]
    local present = rule and user.boards[findEntry(user.boards, rule.no) + BOARD_ENTRY.run]
    local group = earlier[at + EARLIER_RANKING.group]
    -- An earlier run of a league has ended for everybody, and some users have been moved by its ranks.
    local isOpen = rule and not rule.league and run ~= present
    local ranking = isOpen and openRanking(context, rule, run, group)
    local member = ranking and findMember(ranking, context.userId)
    if member then
      local score, order = tonumber(call('ZSCORE', ranking.key, member)), rule.order
      local move, rank = moveFrom(context, ranking, string.sub(member, 1, TICKET.size))
      -- A member of the reserve has no rank.
      rank = rank < ranking.max and rank + 1
      if rank and order and order.isShared then rank = sharedRank(ranking.key, score) end
      leave(ranking, move)
      local n, value = #out, order and valueOf(order, score) or score
      out[n + BOARD_CHANGE.board], out[n + BOARD_CHANGE.run] = rule.no, run
      out[n + BOARD_CHANGE.rank], out[n + BOARD_CHANGE.previousRank] = false, rank
      out[n + BOARD_CHANGE.threshold] = 0
      out[n + BOARD_CHANGE.value], out[n + BOARD_CHANGE.previousValue] = value, value
      if rule.breakdown then
        out[n + BOARD_CHANGE.board], out[n + BOARD_CHANGE.group] = -rule.no, group
        out[n + BOARD_CHANGE.leftGroup] = false
      end
      completeLater(context, n, false, false, ranking, false)
      count = count + 1
    end
  end
  return count
end
