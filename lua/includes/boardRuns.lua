--- @include "boardEntries"
--- @include "formerGroups"
--- @include "formerPlaces"
--- @include "leagueRuns"
--- @include "leagues"
--- @include "userGroups"

-- Begins a run of the leaderboard for the user. Returns the index of the entry.
local function beginRunOf(context, user, rule, rules, entry, calendar)
  local boards, run = user.boards, calendar.runs[rule.no]
  local _, group = nil, ''
  if rule.breakdown then _, group = groupsOf(rule.breakdown, user) end
  if rule.league then
    local number = calendar.runs[-rule.no]
    group = endLeagueRun(context, rule, boards, entry, number, group)
    beginLeagueRun(context.prefix, rule.no, { run, number, false })
  end
  if boards[entry + BOARD_ENTRY.board] then
    keepFormerPlace(context, user, boards, entry, group)
  else
    forgetFormerPlaces(user, rules)
  end
  return beginRun(boards, entry, rule, run, rules)
end

-- The user's group after this change and before it, in a league or by attributes. While an event of the past
-- counts in an earlier run, both are context.groupThen.
local function findGroups(context, user, rule, entry, calendar, score)
  if context.groupThen then return context.groupThen, context.groupThen end
  local group, groupBefore = groupsOf(rule.breakdown, user)
  if not rule.league then
    -- A new user has left nothing.
    if group ~= groupBefore and not user.isNew then
      local run = user.boards[entry + BOARD_ENTRY.run]
      keepFormerGroup(user, rule.no, run, groupBefore, calendar.periods[FREQUENCY.daily])
    end
    return group, groupBefore
  end
  local run = calendar.runs[-rule.no]
  return leagueGroups(context, rule, user.boards, entry, run, score, group, groupBefore)
end
