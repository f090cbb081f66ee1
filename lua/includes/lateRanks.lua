--- @include "findEntry"
--- @include "rankMoves"
--- @include "rankUser"
--- @include "ranking"
--- @include "rankingOrder"
--- @include "userGroups"

-- Ranks of an event of the past. Its calendar has the run of the event for leaderboards that rank what users
-- gain, unless the run is final, and the present run for the others.

local function isHiddenFrom(boards, entry)
  local ticket = boards[entry + BOARD_ENTRY.ticket]
  return ticket == TICKET.hidden or ticket == TICKET.away
end

-- Updates score and rank in a run before the present one. A user without a place there, such as one who has
-- been pushed out of its full ranking, begins it anew. Returns whether there is a report.
local function rankInEarlierRun(context, user, i, rules, calendar, result)
  --- @include "formerGroups"
  --- @include "formerPlaces"
  local rule, boards, before = rules.boards[i], user.boards, user.attributesBefore
  local run = calendar.runs[rule.no]
  local ticket, group = formerPlaceIn(user, rule.no, run)
  if not group then
    group = not rule.breakdown and '' or groupInRun(user, rule.no, run, groupOf(rule.breakdown, user))
    if not group then return false end
  end
  if rule.breakdown then context.groupThen = group end
  local ranking = openRanking(context, rule, run, group)
  local score = ticket and call('ZSCORE', ranking.key, ticket .. context.userId)
  local entry = {}
  entry[BOARD_ENTRY.board], entry[BOARD_ENTRY.run] = rule.no, run
  entry[BOARD_ENTRY.score] = score and tonumber(score) or leastScore(rule)
  entry[BOARD_ENTRY.ticket] = score and ticket or ''
  user.boards, user.attributesBefore = entry, nil
  local isReported = rankUser(context, user, i, rules, calendar, result)
  user.boards, user.attributesBefore, context.groupThen = boards, before, nil
  keepFormerPlace(context, user, entry, 0, group)
  return isReported
end

-- Whether a later event of the user may count on a leaderboard of the latest value.
local function mayBeOutdated(user, rules, calendar)
  for _, rule in ipairs(rules.boards) do
    local run, entry = calendar.runs[rule.no], findEntry(user.boards, rule.no)
    local present, score = user.boards[entry + BOARD_ENTRY.run], user.boards[entry + BOARD_ENTRY.score]
    if rule.by == RANK_BY.latest and run and present
      and (present > run or present == run and score ~= leastScore(rule)) then
      return true
    end
  end
  return false
end

-- Begins the present run for a user whose attributes change by this event: in earlier runs, the group stays.
local function leaveEarlierRun(context, user, rule, rules, entry, calendarNow)
  local run, present = user.boards[entry + BOARD_ENTRY.run], calendarNow.runs[rule.no]
  if rule.league or not rule.breakdown or not run or not present or present <= run then return entry end
  return boardRuns().beginRunOf(context, user, rule, rules, entry, calendarNow)
end

-- Updates the user's ranks on all leaderboards. `outdated`: numbers of those where the event does not count.
-- Reports the number of changes, and each BOARD_CHANGE.
local function rankLate(context, user, rules, calendar, calendarNow, result, outdated)
  local out, count, runs = context.out, 0, calendar.runs
  local countAt, isOutdated = #out + 1, {}
  context.boardCountAt, out[countAt] = countAt, 0
  for _, no in ipairs(outdated) do isOutdated[no] = true end
  for i, rule in ipairs(rules.boards) do
    local run, entry = runs[rule.no], findEntry(user.boards, rule.no)
    if user.attributesBefore then
      entry = leaveEarlierRun(context, user, rule, rules, entry, calendarNow)
    end
    local present = user.boards[entry + BOARD_ENTRY.run]
    local isEarlier = run and present and run < present
    if rule.league then
      -- The user moves to the present run in any case. Only what the leaderboard ranks can count there.
      if isOutdated[rule.no] then rule.of = false end
    elseif isEarlier or isOutdated[rule.no] then
      -- Without a run, only the group can change.
      runs[rule.no] = nil
    end
    if rankUser(context, user, i, rules, calendar, result) then count = count + 1 end
    local mayCount = isEarlier and not rule.league and not isOutdated[rule.no]
    if mayCount and not isHiddenFrom(user.boards, entry) then
      runs[rule.no] = run
      if rankInEarlierRun(context, user, i, rules, calendar, result) then count = count + 1 end
    end
  end
  out[countAt] = count
  finishMoves(context)
end
