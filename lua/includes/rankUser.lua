--- @include "decimal"
--- @include "places"
--- @include "rankMoves"
--- @include "ranking"
--- @include "scoreAfter"
--- @include "userState"

-- The name of a group: the values of the breakdown attributes, each with its length, so that no two groups share a name. nil if the
-- user lacks one of them.
local function groupOf(breakdown, attributes)
  local parts = {}
  for i, no in ipairs(breakdown) do
    local value = attributes[no]
    if not value then return nil end
    parts[i] = #value .. ':' .. value
  end
  return table.concat(parts, ',')
end

-- The user's group after this change and before it.
local function groupsOf(breakdown, user)
  local group = groupOf(breakdown, open(user).attributes)
  if not user.attributesBefore then return group, group end
  return group, groupOf(breakdown, user.attributesBefore)
end

-- Moves the user from a ranking to a place on another one, or on the same one. Returns the moves there and from there, nil without one, and
-- the rank before as moveFrom does.
local function moveUser(context, from, to, ticket, score, previous, mayEnter)
  local left, rankBefore, move
  if from then left, rankBefore = moveFrom(context, from, ticket) end
  if score <= 0 then to = false end
  if left and from == to then
    move = left
    if score < previous then to.frees = true end
  else
    if left then leave(from, left) end
    if to and (left or mayEnter) then move = enter(context, to, score) end
  end
  if move then
    local added = move * ADDED.size
    to.added[added + ADDED.score], to.added[added + ADDED.member] = decimal(score), context.member or memberOf(context)
  end
  return move, left, rankBefore
end

-- Updates the user's place on the i-th leaderboard of the rules; scores above 0 are ranked. Reports the places before and after
-- (PLACE_CHANGE), see rankMoves. Returns whether it does.
local function rankUser(context, user, i, rules, calendar, occasion)
  local rule, boards = rules.boards[i], user.boards
  local no = rule.no
  local currentRun = calendar.runs[no]
  -- Most users have the leaderboards in the order of the rules.
  local place = (i - 1) * PLACE.size
  if boards[place + PLACE.board] ~= no then place = findPlace(boards, no) end
  local run = boards[place + PLACE.run]
  -- A run never goes back: a user who travels west across midnight stays in the newer run.
  if run ~= currentRun and currentRun and (not run or run < currentRun) then
    place, run = beginRun(boards, place, no, currentRun, rules), currentRun
  end
  if not run then return false end

  local previous = boards[place + PLACE.score]
  -- On a date without a run the score stays, but the group can change.
  local score = currentRun and scoreAfter(context, user, rule, rules, calendar, occasion, previous) or previous
  local hides, breakdown = rule.hides, rule.breakdown
  if score == previous and hides == nil and not (breakdown and user.attributesBefore) then return false end
  local group, groupBefore = '', ''
  if breakdown then group, groupBefore = groupsOf(breakdown, user) end
  if score == previous and group == groupBefore and hides == nil then return false end
  boards[place + PLACE.score] = score
  local ticket = boards[place + PLACE.ticket]
  if ticket == TICKET.hidden then
    if hides == nil then return false end
    ticket = ''
  end

  -- Without groups, the ranking may be open.
  local known = rule.run == run and rule.ranking
  local from = groupBefore and (known or openRanking(context, rule, run, groupBefore))
  local to = not hides and group and (known or group == groupBefore and from or openRanking(context, rule, run, group))
  local move, left, rankBefore = moveUser(context, from, to, ticket, score, previous, currentRun)
  boards[place + PLACE.ticket] = hides and TICKET.hidden or move and context.ticket or ''
  if not move and not left then return false end
  local previousRank, isMovedAgain = rankBefore and rankBefore < rule.max and rankBefore + 1, left and not rankBefore
  if not previousRank then
    -- A move within the reserve.
    if not move and not isMovedAgain or move and isHopeless(to, score) then return false end
  end

  local out = context.out
  local n = #out
  out[n + PLACE_CHANGE.board], out[n + PLACE_CHANGE.run] = no, run
  out[n + PLACE_CHANGE.rank], out[n + PLACE_CHANGE.previousRank] = false, previousRank or false
  out[n + PLACE_CHANGE.threshold] = 0
  out[n + PLACE_CHANGE.score], out[n + PLACE_CHANGE.previousScore] = score, previous
  if breakdown then out[n + PLACE_CHANGE.board], out[n + PLACE_CHANGE.group] = -no, group or groupBefore end
  if move and previousRank and not to.reports[move] then
    to.reports[move] = n
  else
    completeLater(context, n, from, isMovedAgain and left, to, move)
  end
  return true
end
