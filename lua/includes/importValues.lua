--- @include "periodEnds"
--- @include "decimalSum"
--- @include "nothing"
--- @include "recentPeriods"
--- @include "userState"

-- What imports have set stays in `imported` of the user: { metrics = by counter, points = by system,
-- challenges = completed runs by challenge, streaks = IMPORTED_STREAK by frequency, freezes = number, added =
-- numbers of imports that added }. So a file that is imported again changes nothing, a file with other values
-- replaces what the earlier one set, and an import that adds does so once, although its rows may be applied
-- several times.

-- Imports that added whose numbers are kept: some more than can be open at once.
local ADDED_MAX = 100

-- Whether the user has totals of metrics that no import has set.
local function hasOwnEvents(user)
  local imported = open(user).imported
  local known = imported and imported.metrics or NOTHING
  for no, total in pairs(user.counters) do
    if known[no] ~= total then return true end
  end
  return false
end

-- Whether the import of this number has added to the user; if not, it has from now on.
local function hasAdded(imported, number)
  local added = imported.added or {}
  for i = 1, #added do
    if added[i] == number then return true end
  end
  if #added == ADDED_MAX then table.remove(added, 1) end
  added[#added + 1] = number
  imported.added = added
  return false
end

-- Sets totals to the values (flat list of IMPORTED_TOTAL), or with `adds` adds the values. Returns the
-- changes, a flat list of IMPORTED_CHANGE.
local function importTotals(totals, known, values, adds)
  local changes = {}
  for at = 0, #values - 1, IMPORTED_TOTAL.size do
    local no, value = values[at + IMPORTED_TOTAL.no], values[at + IMPORTED_TOTAL.value]
    local before = totals[no] or 0
    local change = adds and value or decimalSum(value, -before)
    known[no] = adds and decimalSum(known[no] or 0, value) or value
    if change ~= 0 then
      local n = #changes
      totals[no] = decimalSum(before, change)
      changes[n + IMPORTED_CHANGE.entity] = values[at + IMPORTED_TOTAL.entity]
      changes[n + IMPORTED_CHANGE.no], changes[n + IMPORTED_CHANGE.change] = no, change
      changes[n + IMPORTED_CHANGE.total] = totals[no]
    end
  end
  return changes
end

-- Forgets the peaks of counters that an import has changed (flat list of IMPORTED_CHANGE).
local function forgetPeaks(user, changes)
  local peaks = user.peaks
  if not peaks then return end
  for at = 0, #changes - 1, IMPORTED_CHANGE.size do peaks[changes[at + IMPORTED_CHANGE.no]] = nil end
  user.peaks = next(peaks) and peaks or false
end

-- Completes achievements at their instants, unless the user has completed them or they were revoked. Returns
-- those that are new, a flat list of IMPORTED_COMPLETION.
local function importAchievements(user, values, prefix)
  local achievements, new = user.achievements, {}
  for at = 0, #values - 1, IMPORTED_COMPLETION.size do
    local no = values[at + IMPORTED_COMPLETION.achievement]
    local instant = values[at + IMPORTED_COMPLETION.completedAt]
    if not achievements[no] then
      local n = #new
      achievements[no] = instant
      new[n + IMPORTED_COMPLETION.achievement], new[n + IMPORTED_COMPLETION.completedAt] = no, instant
      call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), '1')
    end
  end
  return new
end

-- Sets how many runs of challenges were completed elsewhere (flat list of IMPORTED_CHALLENGE), or with `adds`
-- adds them. Runs that were completed here count beside them. Returns whether anything changed.
local function importChallenges(user, known, values, adds)
  local counts, changed = user.challengeCompletions or {}, false
  for at = 0, #values - 1, IMPORTED_CHALLENGE.size do
    local no = values[at + IMPORTED_CHALLENGE.challenge]
    local completions = values[at + IMPORTED_CHALLENGE.completions]
    local before = known[no] or 0
    local change = adds and completions or completions - before
    if change ~= 0 then
      known[no], counts[no], changed = before + change, (counts[no] or 0) + change, true
    end
  end
  if changed then user.challengeCompletions = counts end
  return changed
end

-- Returns the streak of frequency `f` that an import has set and that this row replaces, because it says
-- something else; nil if there is none.
local function replacedStreak(user, streak, f)
  local imported = open(user).imported
  local known = imported and imported.streaks[f]
  if not known then return nil end
  local isSame = known[IMPORTED_STREAK.length] == streak[IMPORTED_STREAK.length]
    and known[IMPORTED_STREAK.lastDay] == streak[IMPORTED_STREAK.lastDay]
    and known[IMPORTED_STREAK.longest] == streak[IMPORTED_STREAK.longest]
  if not isSame then return known end
end

-- Takes back what came of an imported streak (REPLACED_STREAK): its periods, the freezes that have kept it,
-- and its loss.
local function takeBackStreak(user, streak, replaced, base)
  local periods, used, own = replaced[REPLACED_STREAK.periods], 0, user.streak
  for at = 0, #periods - 1, PERIOD_ROW.size do
    setSlot(user, periods[at + PERIOD_ROW.period], NO_ROW, false)
    if periods[at + PERIOD_ROW.by] == COVERED_BY.freeze then used = used + 1 end
  end
  user.freezes = math.max(user.freezes, math.min(user.freezes + used, replaced[REPLACED_STREAK.freezesMax]))
  if own[base + STREAK.lostFirstDay] == streak[IMPORTED_STREAK.firstDay] then
    own[base + STREAK.lostLength], own[base + STREAK.lostFirstDay] = 0, 0
  end
end

-- Sets the streak in force, unless an earlier import has set the same one or the user has turned it off. With
-- `adds`, the longer streak wins; without, the row replaces what an earlier one has set. Returns whether the
-- streak is the imported one.
local function importStreak(user, streak, replaced, rules, calendar, seconds, adds)
  local f, streaks = rules.streak.frequency, user.imported.streaks
  local length, lastPeriod = streak[IMPORTED_STREAK.length], streak[IMPORTED_STREAK.lastPeriod]
  if user.preferences and user.preferences.streakEnabled == false then return false end
  local former = replacedStreak(user, streak, f)
  if streaks[f] and not former then return false end
  local base = (f - 1) * STREAK.size
  local isOver = endOf(calendar, f, lastPeriod + 1) <= seconds
  if adds and (isOver or user.streak[base + STREAK.length] >= length) then return false end
  if former and not adds then takeBackStreak(user, former, replaced, base) end
  streaks[f] = streak
  addPeriod(user, lastPeriod, length, 0)
  local own = user.streak
  own[base + STREAK.length], own[base + STREAK.lastPeriod] = length, lastPeriod
  own[base + STREAK.firstDay], own[base + STREAK.slack] = streak[IMPORTED_STREAK.firstDay], 0
  own[base + STREAK.extendedAt] = streak[IMPORTED_STREAK.extendedAt]
  user.frequency, user.recordedFrom = f, lastPeriod
  if user.freezeDay == 0 then user.freezeDay = calendar.periods[FREQUENCY.daily] end
  return true
end

-- Sets the number of freezes, unless an earlier import has set the same one. Returns whether it did.
local function importFreezes(user, freezes)
  if user.imported.freezes == freezes then return false end
  user.imported.freezes, user.freezes = freezes, freezes
  return true
end
