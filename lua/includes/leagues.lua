--- @include "boardEntries"
--- @include "findEntry"
--- @include "decimal"
--- @include "rankingOrder"

-- A league (docs/leagues.md): `league` of a leaderboard in the rules is a list of settings in the order of
-- their runs. A user's tier is a LEAGUE_ENTRY among the entries of leaderboards: the number of the run in
-- which the user has the tier, the seat in that run (0 without a group), and the number of the tier.

-- Returns the settings in force in a run.
local function settingsIn(league, run)
  local found
  for _, settings in ipairs(league) do
    if not found or settings.fromRun <= run then found = settings end
  end
  return found
end

-- Returns the position of a tier. A deleted tier has that of the tier that took its users.
local function positionIn(settings, tier)
  for i, one in ipairs(settings.tiers) do
    if one.no == tier then return i end
  end
  for _, one in ipairs(settings.former) do
    if one.no == tier then return positionIn(settings, one.becomes) end
  end
  return 1
end

-- Returns the tier in the run `nextRun` of a user who had this tier in `run` and has no rank in the runs
-- between. rank, size: in the user's group of `run`; the rank is nil without one.
local function tierAfter(league, run, tier, rank, size, nextRun)
  local settings = settingsIn(league, run)
  local position = positionIn(settings, tier)
  local rules = settings.tiers[position]
  if not rank then
    if settings.demotesIdle and position > 1 then position = position - 1 end
  elseif rank <= rules.promote then
    position = position + 1
  elseif rank > size - rules.demote then
    position = position - 1
  end
  tier = settings.tiers[position].no
  if run + 1 < nextRun then return tierAfter(league, run + 1, tier, nil, 0, nextRun) end
  settings = settingsIn(league, nextRun)
  return settings.tiers[positionIn(settings, tier)].no
end

-- Returns the name of the group of a seat: a list, as that of the values of breakdown attributes, which
-- begins with the tier and the number of the group. Groups of other cells have other numbers.
local function leagueGroup(league, run, tier, seat, values)
  local cell = seat % SEAT.cells
  local number = decimal(floor((floor(seat / SEAT.cells) - 1) / settingsIn(league, run).size) + 1)
  if cell > 0 then number = number .. '-' .. decimal(cell) end
  tier = decimal(tier)
  local group = #tier .. ':' .. tier .. ',' .. #number .. ':' .. number
  return values == '' and group or group .. ',' .. values
end

-- Moves the user to the tier of a later run, before the entry of the leaderboard begins that run. The ranking
-- of the former group is as the end of the run left it. valuesBefore: of the breakdown attributes, in the
-- former group; nil if the user lacks one. Returns the former group, nil without one.
local function endLeagueRun(context, rule, boards, entry, nextRun, valuesBefore)
  local at = findEntry(boards, leagueNo(rule.no))
  local run, tier = boards[at + LEAGUE_ENTRY.run], boards[at + LEAGUE_ENTRY.tier]
  if not run or run >= nextRun then return end
  local ticket, seat, rank, size = boards[entry + BOARD_ENTRY.ticket], boards[at + LEAGUE_ENTRY.seat], nil, 0
  local group
  if seat > 0 and valuesBefore and #ticket == TICKET.size then
    group = leagueGroup(rule.league, run, tier, seat, valuesBefore)
    local no, firstDay = rule.no, boards[entry + BOARD_ENTRY.run]
    local key = context.prefix .. TENANT_KEY.board(no, firstDay, group)
    rank, size = call('ZREVRANK', key, ticket .. context.userId), call('ZCARD', key)
    rank = rank and rank + 1
  end
  boards[at + LEAGUE_ENTRY.tier] = tierAfter(rule.league, run, tier, rank, size, nextRun)
  boards[at + LEAGUE_ENTRY.run], boards[at + LEAGUE_ENTRY.seat] = nextRun, 0
  return group
end

-- Returns the user's group after this change and before it, false without one. A user who has a score and no
-- seat among those with the same attributes takes one. run: number of the present run; nil without one.
local function leagueGroups(context, rule, boards, entry, run, score, values, valuesBefore)
  local at, no = findEntry(boards, leagueNo(rule.no)), rule.no
  local seat, tier = boards[at + LEAGUE_ENTRY.seat] or 0, boards[at + LEAGUE_ENTRY.tier]
  local known = boards[at + LEAGUE_ENTRY.run]
  local before = seat > 0 and valuesBefore
    and leagueGroup(rule.league, known, tier, seat, valuesBefore)
  if not run or before and values == valuesBefore then return before, before end
  if seat > 0 then boards[at + LEAGUE_ENTRY.seat] = 0 end
  local ticket = boards[entry + BOARD_ENTRY.ticket]
  local hides = rule.hides
  if hides == nil then hides = ticket == TICKET.hidden or ticket == TICKET.away end
  if not values or hides or score <= leastScore(rule) then return false, before end

  run = math.max(run, known or 0)
  tier = tier or settingsIn(rule.league, run).lowest
  local firstDay = boards[entry + BOARD_ENTRY.run]
  local taken = context.prefix .. TENANT_KEY.league(no, firstDay)
  -- The prefix of keys begins with the number of the cell.
  local cell = context.leastArrival > 0 and string.match(context.prefix, '%d+') + 1 or 0
  seat = call('HINCRBY', taken, TENANT_KEY.seats(tier, values), '1') * SEAT.cells + cell
  boards[at + LEAGUE_ENTRY.league], boards[at + LEAGUE_ENTRY.run] = leagueNo(no), run
  boards[at + LEAGUE_ENTRY.seat], boards[at + LEAGUE_ENTRY.tier] = seat, tier
  return leagueGroup(rule.league, run, tier, seat, values), before
end
