--- @include "timeOf"
--- @include "ranking"
--- @include "rankMoves"
--- @include "scoreAfter"
--- @include "places"

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

-- Moves the user from a ranking to a place in another one, or in the same one. Returns rank|false and rank before|false, from 0.
local function moveNow(context, user, place, from, to, score, previous, mayEnter)
  local boards, previousRank, memberBefore = user.boards, false, nil
  if from then
    memberBefore = boards[place + PLACE.ticket] .. context.userId
    previousRank = call('ZREVRANK', from.key, memberBefore)
  end
  local stays = previousRank and from == to and score > 0
  if not stays then
    if previousRank then leave(context, from, memberBefore, previous) end
    boards[place + PLACE.ticket] = ''
    if not to or score <= 0 or not (mayEnter or previousRank) then return false, previousRank end
    local lowest = to.lowest or lowestOf(to)
    if lowest and score <= lowest then return false, previousRank end
    if lowest then leave(context, to, to.lowestMember, lowest) end
  end
  local ticket, member = ticketOf(context)
  boards[place + PLACE.ticket] = ticket
  if stays then
    replace(to, memberBefore, previous, member, score)
    -- A rise of the first user changes no rank.
    if previousRank == 0 and score > previous then return previousRank, previousRank end
  else
    enter(to, member, score)
  end
  return call('ZREVRANK', to.key, member), previousRank
end

-- Updates the user's place on the i-th leaderboard of the rules; scores above 0 are ranked. Reports a place that changed (PLACE_CHANGE).
-- Returns whether it did.
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
    place, run = beginRun(context, boards, place, no, currentRun, rules), currentRun
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
  local from = ticket ~= '' and groupBefore and (known or openRanking(context, rule, run, groupBefore))
  local to = not hides and group and (known or group == groupBefore and from or openRanking(context, rule, run, group))
  local rank, previousRank
  if context.goesOn or context.moving > 0 then
    rank, previousRank = moveOn(context, user, place, from, to, score, previous)
  end
  if not rank then rank, previousRank = moveNow(context, user, place, from, to, score, previous, currentRun) end
  if hides then boards[place + PLACE.ticket] = TICKET.hidden end
  -- Nobody sees the reserve.
  if rank and rank >= rule.max then rank = false end
  if previousRank and previousRank >= rule.max then previousRank = false end
  if not rank and not previousRank then return false end

  local out = context.out
  local n = #out
  out[n + PLACE_CHANGE.board], out[n + PLACE_CHANGE.run] = no, run
  out[n + PLACE_CHANGE.rank], out[n + PLACE_CHANGE.previousRank] = rank and rank + 1, previousRank and previousRank + 1
  out[n + PLACE_CHANGE.threshold] = to and (to.threshold or thresholdOf(to)) or 0
  out[n + PLACE_CHANGE.score], out[n + PLACE_CHANGE.previousScore] = score, previous
  if breakdown then out[n + PLACE_CHANGE.board], out[n + PLACE_CHANGE.group] = -no, group or groupBefore end
  return true
end
