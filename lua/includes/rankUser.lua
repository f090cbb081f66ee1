--- @include "decimal"
--- @include "findEntry"
--- @include "moveAtOnce"
--- @include "rankMoves"
--- @include "ranking"
--- @include "rankingOrder"
--- @include "scoreAfter"

-- Functions of leaderboards with groups, and of users who begin a run. They are made once a call needs them
-- (offFastPath.lua).
local runFunctions
local function boardRuns()
  if runFunctions then return runFunctions end
  --- @include "boardRuns"
  runFunctions = { beginRunOf = beginRunOf, findGroups = findGroups }
  return runFunctions
end

-- Moves the user from one ranking to another, or within one. Returns the moves on `to` and on `from`, each
-- nil if there is none, and the rank before as moveFrom does.
local function moveUser(context, rule, from, to, ticket, score, previous, mayEnter)
  local left, rankBefore, move
  if from then left, rankBefore = moveFrom(context, from, ticket, previous) end
  if score <= 0 and score <= leastScore(rule) then to = false end
  if left and from == to then
    move = left
    if score < previous then to.frees = true end
  else
    if left then leave(from, left) end
    if to and (left or mayEnter) then move = enter(context, to, score) end
  end
  if move then
    local added = move * ADDED.size
    to.added[added + ADDED.score] = decimal(score)
    to.added[added + ADDED.member] = context.member or memberOf(context)
  end
  return move, left, rankBefore
end

-- Begins the report of a change (BOARD_CHANGE). Returns its base.
local function reportBoard(out, rule, run, score, previous, previousRank)
  local n, order = #out, rule.order
  out[n + BOARD_CHANGE.board], out[n + BOARD_CHANGE.run] = rule.no, run
  out[n + BOARD_CHANGE.rank], out[n + BOARD_CHANGE.previousRank] = false, previousRank or false
  out[n + BOARD_CHANGE.threshold] = 0
  out[n + BOARD_CHANGE.value], out[n + BOARD_CHANGE.previousValue] = score, previous
  if order then
    -- A user without a value leaves the ranking. The report then has the last value.
    out[n + BOARD_CHANGE.value] = valueOf(order, score) or valueOf(order, previous)
    out[n + BOARD_CHANGE.previousValue] = valueOf(order, previous)
  end
  return n
end

-- Updates the user's score and rank on the i-th leaderboard of the rules, and reports a change of the rank
-- (BOARD_CHANGE), which finishMoves completes. Returns whether there is a report.
local function rankUser(context, user, i, rules, calendar, result)
  local rule, boards = rules.boards[i], user.boards
  local no = rule.no
  local currentRun = calendar.runs[no]
  -- Most users have the leaderboards in the order of the rules, perhaps behind those of other metrics.
  local entry = context.firstEntry + (i - 1) * BOARD_ENTRY.size
  if boards[entry + BOARD_ENTRY.board] ~= no then
    entry = findEntry(boards, no)
    context.firstEntry = entry - (i - 1) * BOARD_ENTRY.size
  end
  local run = boards[entry + BOARD_ENTRY.run]
  -- A run never goes back: a user who travels west across midnight stays in the newer run.
  if run ~= currentRun and currentRun and (not run or run < currentRun) then
    entry, run = boardRuns().beginRunOf(context, user, rule, rules, entry, calendar), currentRun
  end
  if not run then return false end

  local previous = boards[entry + BOARD_ENTRY.score]
  -- On a date without a run the score stays, but the group can change.
  local score = currentRun and scoreAfter(context, user, rule, rules, calendar, result, previous) or previous
  local hides, breakdown = rule.hides, rule.breakdown
  if score == previous and hides == nil and not (breakdown and user.attributesBefore) then return false end
  local group, groupBefore = '', ''
  if breakdown then
    group, groupBefore = boardRuns().findGroups(context, user, rule, entry, calendar, score)
    if score == previous and group == groupBefore and hides == nil then return false end
  end
  boards[entry + BOARD_ENTRY.score] = score
  local ticket = boards[entry + BOARD_ENTRY.ticket]
  if ticket == TICKET.hidden or ticket == TICKET.away then
    if hides == nil then return false end
    ticket = ''
  end

  if not context.defersMoves and score > 0 and score > previous and hides == nil
    and not (breakdown or rule.order or context.floors) then
    return moveAtOnce(context, rule, boards, entry, previous)
  end
  -- A leaderboard without groups has one ranking, which may be open.
  local known = rule.run == run and rule.ranking
  local from = groupBefore and (known or openRanking(context, rule, run, groupBefore))
  local to = not hides and group
    and (known or group == groupBefore and from or openRanking(context, rule, run, group))
  local move, left, rankBefore = moveUser(context, rule, from, to, ticket, score, previous, currentRun)
  boards[entry + BOARD_ENTRY.ticket] = hides or move and context.ticket or ''
  if not move and not left then return false end
  local previousRank, order = rankBefore and rankBefore < rule.max and rankBefore + 1, rule.order
  local isMovedAgain = left and not rankBefore
  if not previousRank then
    -- A move within the reserve is not reported.
    if not move and not isMovedAgain or move and isReserved(to, order, score) then return false end
  elseif order and order.isShared then
    previousRank = sharedRank(from.key, previous)
  end

  local out = context.out
  local n = reportBoard(out, rule, run, score, previous, previousRank)
  if breakdown then
    out[n + BOARD_CHANGE.board], out[n + BOARD_CHANGE.group] = -no, group or groupBefore
    out[n + BOARD_CHANGE.leftGroup] = left and group and group ~= groupBefore and groupBefore or false
  end
  if move and previousRank and not to.reports[move] then
    to.reports[move] = n
  else
    completeLater(context, n, from, isMovedAgain and left, to, move)
  end
  return true
end
