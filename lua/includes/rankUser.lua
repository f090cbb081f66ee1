-- Equal scores rank in the order in which they were reached. A sorted set orders them by member bytes, so a member starts
-- with a ticket that falls with every arrival: read from the top, the earlier one comes first. The shard follows, so that
-- whoever reads a board finds the users.
local TICKETS = 281474976710655

-- The ticket of this change: one a change, so it is unique on every board. Twelve digits fall with the order of arrival, three
-- are the shard.
local function ticketOf(context)
  if not context.ticket then
    if not context.firstArrival then
      context.firstArrival = call('INCRBY', '{' .. context.tenant .. ':arrivals}', context.size) - context.size
    end
    context.ticket = string.format('%012x%03x', TICKETS - context.firstArrival - context.index, context.shard)
  end
  return context.ticket
end

-- The values of the breakdown attributes, each with its length, so that no two groups share a name; nil when one is missing.
local function groupOf(breakdown, attributes)
  if not breakdown then return '' end
  local parts = {}
  for i, no in ipairs(breakdown) do
    local value = attributes[no]
    if not value then return nil end
    parts[i] = #value .. ':' .. value
  end
  return table.concat(parts, ',')
end

local function inWindow(window, now, offsetMs)
  local second = floor((now + offsetMs) / 1000) % 86400
  if window[1] <= window[2] then return second >= window[1] and second < window[2] end
  return second >= window[1] or second < window[2]
end

-- What this call knows of the ranking of one group of one run: number of participants and, while it is full, the lowest
-- score. Nobody else writes meanwhile, so it is read once a call.
local function openRanking(context, rule, run, group)
  local no, isWhole = rule.no, group == ''
  local id = isWhole and no * 100000 + run or no .. ':' .. run .. ':' .. group
  local ranking = context.rankings[id]
  if not ranking then
    local key = '{' .. context.tenant .. ':lb:' .. no .. ':' .. run .. ':' .. group .. '}'
    ranking = { key = key, size = call('ZCARD', key), max = rule.max, lowest = false, lowestMember = false }
    context.rankings[id] = ranking
  end
  if isWhole then rule.run, rule.ranking = run, ranking end
  return ranking
end

-- The score to surpass while the ranking is full, else false. Known while it is in ranking.lowest.
local function lowestOf(ranking)
  if ranking.size < ranking.max then return false end
  if not ranking.lowest then
    local lowest = call('ZRANGE', ranking.key, 0, 0, 'WITHSCORES')
    ranking.lowestMember, ranking.lowest = lowest[1], tonumber(lowest[2])
  end
  return ranking.lowest
end

local function leave(ranking, member)
  call('ZREM', ranking.key, member)
  ranking.size, ranking.lowest = ranking.size - 1, false
end

local function enter(ranking, member, score)
  call('ZADD', ranking.key, score, member)
  ranking.size = ranking.size + 1
end

local function replace(ranking, memberBefore, scoreBefore, member, score)
  call('ZREM', ranking.key, memberBefore)
  call('ZADD', ranking.key, score, member)
  local lowest = ranking.lowest
  if lowest and (scoreBefore <= lowest or score <= lowest) then ranking.lowest = false end
end

-- While changes of a user follow each other, one who stays on a board is moved in memory, and on the board with the last of them.
-- A move: ranking, where the board's values start in the user's list, member and score that Redis has, rank and score now, and the
-- score up to which that rank stays. Tables are used again.
local function moveOf(context, at)
  for i = 1, context.moving do
    if context.moves[i].at == at then return context.moves[i] end
  end
end

local function finishMoves(context, user)
  for i = 1, context.moving do
    local move, ticket = context.moves[i], ticketOf(context)
    replace(move.ranking, move.member, move.scoreBefore, ticket .. context.userId, move.score)
    user.boards[move.at + 3] = ticket
  end
  context.moving = 0
end

-- The move of a user who is on the board, nil when there is none.
local function startMove(context, ranking, at, member, score)
  local rank = call('ZREVRANK', ranking.key, member)
  if not rank then return nil end
  local moving = context.moving + 1
  local move = context.moves[moving] or {}
  move.ranking, move.at, move.member, move.scoreBefore, move.rank, move.reach = ranking, at, member, score, rank, false
  context.moves[moving], context.moving = move, moving
  return move
end

-- Whether the lowest score of a full board stays what it is, whatever Redis still has of this user.
local function leavesLowest(ranking, scoreBefore, score)
  local lowest = ranking.lowest or lowestOf(ranking)
  return not lowest or scoreBefore > lowest and score > lowest
end

-- The rank that a score gives: behind those who have reached it, or more, before.
local function rankOf(move, score)
  local ahead = call('ZCOUNT', move.ranking.key, score, '+inf')
  return move.scoreBefore >= score and ahead - 1 or ahead
end

-- Up to the score of the one ahead a rise changes nothing: that one reached it before. Redis has the user no higher, so whoever
-- is ahead has the same rank there.
local function reachOf(move)
  if move.rank == 0 then return math.huge end
  return tonumber(call('ZREVRANGE', move.ranking.key, move.rank - 1, move.rank - 1, 'WITHSCORES')[2])
end

-- Moves on who has more changes to come: answers rank and rank before. nil when the board itself is to be changed now.
local function moveOn(context, user, at, ranking, score, previous)
  local move = context.moving > 0 and moveOf(context, at)
  if not leavesLowest(ranking, move and move.scoreBefore or previous, score) then
    finishMoves(context, user)
    return nil
  end
  move = move or context.goesOn and startMove(context, ranking, at, user.boards[at + 3] .. context.userId, previous)
  if not move then return nil end
  local previousRank = move.rank
  move.score = score
  if score < previous or previous < move.scoreBefore then
    move.rank, move.reach = rankOf(move, score), false
  else
    move.reach = move.reach or reachOf(move)
    if score > move.reach then move.rank, move.reach = rankOf(move, score), false end
  end
  return move.rank, previousRank
end

-- Moves the user from one group of a run to a place in another one, or the same. Answers rank|false and rank before|false.
local function moveNow(context, user, at, from, to, score, previous, mayEnter)
  local boards, userId, previousRank, memberBefore = user.boards, context.userId, false, nil
  if from then
    memberBefore = boards[at + 3] .. userId
    previousRank = call('ZREVRANK', from.key, memberBefore)
  end
  local stays = previousRank and from == to and score > 0
  if not stays then
    if previousRank then leave(from, memberBefore) end
    boards[at + 3] = ''
    if not to or score <= 0 or not (mayEnter or previousRank) then return false, previousRank end
    local lowest = to.lowest or lowestOf(to)
    if lowest and score <= lowest then return false, previousRank end
    if lowest then leave(to, to.lowestMember) end
  end
  local ticket = ticketOf(context)
  local member = ticket .. userId
  boards[at + 3] = ticket
  if stays then
    replace(to, memberBefore, previous, member, score)
  else
    enter(to, member, score)
  end
  return call('ZREVRANK', to.key, member), previousRank
end

-- Where the board's values start in the user's flat list; at the end when it is new to the user.
local function boardAt(boards, no)
  for at = 1, #boards, BOARD_VALUES do
    if boards[at] == no then return at end
  end
  return #boards + 1
end

-- Takes out of the user's flat list the boards that are over, whose rankings are final: it is to hold no more than there are.
local function forgetBoards(boards, rules)
  local time, kept = timeOf(rules), 0
  if not time.isLive then
    time.isLive = {}
    for _, no in ipairs(time.boards) do time.isLive[no] = true end
  end
  for at = 1, #boards, BOARD_VALUES do
    if time.isLive[boards[at]] then
      for i = 0, BOARD_VALUES - 1 do boards[kept + 1 + i] = boards[at + i] end
      kept = kept + BOARD_VALUES
    end
  end
  for i = #boards, kept + 1, -1 do boards[i] = nil end
  return kept + 1
end

-- The score that the user has on a board after this change, from the one before.
local function scoreAfter(context, user, rule, rules, calendar, occasion, before)
  local total, delta
  if rule.by == 'streak' then
    return occasion.streakLength
  elseif rule.by == 'metric' then
    total, delta = user.counters[rule.of] or 0, rule.of == rules.counter and occasion.value or 0
  else
    total, delta = user.points[rule.of] or 0, occasion.added[rule.of] or 0
  end
  if not rule.gain then return total end
  local window = rule.window
  if delta ~= 0 and (not window or inWindow(window, context.now, calendar.offsetMs)) then return before + delta end
  return before
end

-- Brings the user's place on the i-th board of the rules up to date; scores above 0 are ranked. Reports a place that changed: board, run,
-- rank|false, previous rank|false, threshold, score, previous score; with a group -board and, after these, the group. Answers whether
-- it did.
local function rankUser(context, user, i, rules, calendar, occasion)
  local rule, boards = rules.boards[i], user.boards
  local no = rule.no
  local currentRun = calendar.runs[no]
  -- Boards come to most users in the order of the rules.
  local at = (i - 1) * BOARD_VALUES + 1
  if boards[at] ~= no then at = boardAt(boards, no) end
  -- A run never goes back: who travels west across midnight stays in the newer run.
  if currentRun and (not boards[at] or boards[at + 1] < currentRun) then
    -- A move holds where in the list its board is.
    if not boards[at] and context.moving == 0 then at = forgetBoards(boards, rules) end
    boards[at], boards[at + 1], boards[at + 2], boards[at + 3] = no, currentRun, 0, ''
  end
  if not boards[at] then return false end

  local run, previous, ticket = boards[at + 1], boards[at + 2], boards[at + 3]
  -- On a date without a run nothing is scored, but a group can change.
  local score = currentRun and scoreAfter(context, user, rule, rules, calendar, occasion, previous) or previous
  if score == previous and not (rule.breakdown and user.attributesBefore) then return false end
  local group, groupBefore = '', ''
  if rule.breakdown then
    group = groupOf(rule.breakdown, open(user).attributes)
    groupBefore = user.attributesBefore and groupOf(rule.breakdown, user.attributesBefore)
    if not user.attributesBefore then groupBefore = group end
    if score == previous and group == groupBefore then return false end
  end
  boards[at + 2] = score

  -- Without groups, it may be open.
  local known = rule.run == run and rule.ranking
  local from = ticket ~= '' and groupBefore and (known or openRanking(context, rule, run, groupBefore))
  local to = group and (known or group == groupBefore and from or openRanking(context, rule, run, group))
  local rank, previousRank
  if context.goesOn or context.moving > 0 then
    if from and from == to and score > 0 then
      rank, previousRank = moveOn(context, user, at, to, score, previous)
    else
      finishMoves(context, user)
    end
  end
  if not rank then rank, previousRank = moveNow(context, user, at, from, to, score, previous, currentRun) end
  if not rank and not previousRank then return false end
  local threshold = to and (to.lowest or lowestOf(to)) or 0

  local out = context.out
  local n = #out
  out[n + 1], out[n + 2], out[n + 3], out[n + 4] = no, run, rank and rank + 1, previousRank and previousRank + 1
  out[n + 5], out[n + 6], out[n + 7] = threshold, score, previous
  if rule.breakdown then out[n + 1], out[n + 8] = -no, group or groupBefore end
  return true
end
