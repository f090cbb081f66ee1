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
  if not window then return true end
  local second = math.floor((now + offsetMs) / 1000) % 86400
  if window[1] <= window[2] then return second >= window[1] and second < window[2] end
  return second >= window[1] or second < window[2]
end

-- What this call knows of the ranking of one group of one run: number of participants and, while it is full, the lowest
-- score. Nobody else writes meanwhile, so it is read once a call.
local function openRanking(context, no, run, group, max)
  local id = group == '' and no * 100000 + run or no .. ':' .. run .. ':' .. group
  local ranking = context.rankings[id]
  if not ranking then
    local key = '{' .. context.tenant .. ':lb:' .. no .. ':' .. run .. ':' .. group .. '}'
    ranking = { key = key, size = call('ZCARD', key), max = max, lowest = false, lowestMember = false }
    context.rankings[id] = ranking
  end
  return ranking
end

-- The score to surpass while the ranking is full, else false.
local function lowestOf(ranking)
  if ranking.size < ranking.max then return false end
  if not ranking.lowest then
    local lowest = call('ZRANGE', ranking.key, 0, 0, 'WITHSCORES')
    ranking.lowestMember, ranking.lowest = lowest[1], tonumber(lowest[2])
  end
  return ranking.lowest
end

local function leave(ranking, member, score)
  call('ZREM', ranking.key, member)
  ranking.size = ranking.size - 1
  if ranking.lowest and score <= ranking.lowest then ranking.lowest = false end
end

local function enter(ranking, member, score)
  call('ZADD', ranking.key, score, member)
  ranking.size = ranking.size + 1
  if ranking.lowest and score <= ranking.lowest then ranking.lowest = false end
end

-- Where the board's values start in the user's flat list; at the end when it is new to the user.
local function boardAt(boards, no)
  for at = 1, #boards, BOARD_VALUES do
    if boards[at] == no then return at end
  end
  return #boards + 1
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
  if delta ~= 0 and inWindow(rule.window, context.now, calendar.offsetMs) then return before + delta end
  return before
end

-- Brings the user's place on one board up to date; scores above 0 are ranked. Reports a place that changed: board, run,
-- rank|false, previous rank|false, threshold, score, previous score, group. Answers whether it did.
local function rankUser(context, user, rule, rules, calendar, occasion)
  local no, boards = rule.no, user.boards
  local currentRun = calendar.runs[no]
  local at = boardAt(boards, no)
  -- A run never goes back: who travels west across midnight stays in the newer run.
  if currentRun and (not boards[at] or boards[at + 1] < currentRun) then
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

  local userId = context.userId
  local ranking, previousRank = nil, false
  if ticket ~= '' and groupBefore then
    local member = ticket .. userId
    ranking = openRanking(context, no, run, groupBefore, rule.max)
    previousRank = call('ZREVRANK', ranking.key, member)
    if previousRank then leave(ranking, member, previous) end
  end
  boards[at + 3] = ''

  local rank, threshold = false, 0
  if group and score > 0 and (currentRun or previousRank) then
    if not ranking or group ~= groupBefore then ranking = openRanking(context, no, run, group, rule.max) end
    local stays = previousRank and group == groupBefore
    local lowest = not stays and lowestOf(ranking)
    if not lowest or score > lowest then
      if lowest then leave(ranking, ranking.lowestMember, lowest) end
      ticket = ticketOf(context)
      boards[at + 3] = ticket
      local member = ticket .. userId
      enter(ranking, member, score)
      rank = call('ZREVRANK', ranking.key, member)
    end
    threshold = lowestOf(ranking) or 0
  end
  if not rank and not previousRank then return false end

  local out = context.out
  local n = #out
  out[n + 1], out[n + 2], out[n + 3], out[n + 4] = no, run, rank and rank + 1, previousRank and previousRank + 1
  out[n + 5], out[n + 6], out[n + 7], out[n + 8] = threshold, score, previous, group or groupBefore
  return true
end
