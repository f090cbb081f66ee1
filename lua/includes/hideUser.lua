--- @include "boardEntries"
--- @include "findEntry"
--- @include "nothing"
--- @include "rankMoves"
--- @include "ranking"
--- @include "rankingOrder"
--- @include "userState"

-- A hidden user keeps the score on the leaderboard but is not on its ranking. The ticket is then
-- TICKET.hidden if an administrator hides the user from this leaderboard, else TICKET.away if the user has
-- opted out of all or is blocked. `hides` of a leaderboard in the rules is the ticket that rankUser sets, or
-- false to show the user.

-- Makes the evaluation hide the user from a leaderboard, or show the user again. Returns false if nothing
-- changes.
local function prepareHiding(user, rules, calendar, no, hides)
  local boards, entry = user.boards, findEntry(user.boards, no)
  if (boards[entry + BOARD_ENTRY.ticket] == TICKET.hidden) == hides then return false end
  for _, rule in ipairs(rules.boards) do
    if rule.no == no then
      if not boards[entry + BOARD_ENTRY.board] then
        beginRun(boards, entry, rule, calendar.runs[no] or 0, rules)
      end
      rule.hides = hides and TICKET.hidden or isAway(boards) and TICKET.away
      rules.hidesUser = true
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
local function prepareAbsence(user, rules, reason, isGiven, till)
  local boards, kept = user.boards, {}
  local before = isAway(boards)
  local isChanged = setReason(boards, reason, isGiven, till)
  local after = isAway(boards)
  for _, rule in ipairs(rules.boards) do
    local ticket = boards[findEntry(boards, rule.no) + BOARD_ENTRY.ticket]
    if before ~= after and ticket and ticket ~= TICKET.hidden then rule.hides = after and TICKET.away end
    if rule.hides ~= nil or rule.by == RANK_BY.streak then kept[#kept + 1] = rule end
  end
  rules.boards, rules.hidesUser = kept, true
  return isChanged
end

-- Takes the user off the ranking of an earlier run, in which the user has the ticket. Reports it
-- (BOARD_CHANGE); returns whether the user was there.
local function leaveEarlierRun(context, rule, run, group, ticket)
  local ranking, out = openRanking(context, rule, run, group), context.out
  local score, order = tonumber(call('ZSCORE', ranking.key, ticket .. context.userId) or nil), rule.order
  if not score then return false end
  local move, rank = moveFrom(context, ranking, ticket, score)
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
  return true
end

-- Takes the user off the rankings of earlier runs of the leaderboards that hide the user. Returns the number
-- of reports.
local function leaveEarlierRuns(context, user, rules)
  --- @include "formerPlaces"
  local places, count = open(user).formerPlaces or NOTHING, 0
  for _, rule in ipairs(rules.boards) do
    -- An earlier run of a league has ended for everybody, and some users have been moved by its ranks.
    local left = rule.hides and not rule.league and places[rule.no]
    for at = 0, left and #left - 1 or -1, FORMER_PLACE.size do
      local run, group = left[at + FORMER_PLACE.run], left[at + FORMER_PLACE.group]
      if leaveEarlierRun(context, rule, run, group, left[at + FORMER_PLACE.ticket]) then count = count + 1 end
    end
    if left then setFormerPlaces(user, rule.no, nil) end
  end
  return count
end
