--- @include "boardEntries"
--- @include "leagueRuns"
--- @include "leagues"
--- @include "userGroups"

-- Begins a run of the leaderboard for the user. Returns the index of the entry.
local function beginRunOf(context, user, rule, rules, entry, calendar)
  local boards, run = user.boards, calendar.runs[rule.no]
  if rule.league then
    local number, _, valuesBefore = calendar.runs[-rule.no], groupsOf(rule.breakdown, user)
    endLeagueRun(context, rule, boards, entry, number, valuesBefore)
    beginLeagueRun(context.prefix, rule.no, { run, number, false })
  end
  return beginRun(boards, entry, rule, run, rules)
end

-- The user's group after this change and before it, in a league or by attributes.
local function findGroups(context, user, rule, entry, calendar, score)
  local group, groupBefore = groupsOf(rule.breakdown, user)
  if not rule.league then return group, groupBefore end
  local run = calendar.runs[-rule.no]
  return leagueGroups(context, rule, user.boards, entry, run, score, group, groupBefore)
end
