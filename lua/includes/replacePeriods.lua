--- @include "recentPeriods"
--- @include "userState"

-- Replaces periods as a late event does (REPAIR).
local function repairPeriods(user, repair)
  local removed, added = repair[REPAIR.removedPeriods], repair[REPAIR.addedPeriods]
  openToChange(user)
  for at = 0, #removed - 1, PERIOD_ROW.size do
    setSlot(user, removed[at + PERIOD_ROW.period], NO_ROW, false)
  end
  for at = 0, #added - 1, PERIOD_ROW.size do
    local length, kind = added[at + PERIOD_ROW.length], added[at + PERIOD_ROW.by]
    addPeriod(user, added[at + PERIOD_ROW.period], length, kind)
  end
end

-- Forgets the periods of the streak of frequency `f`: up to now, only the history knows them.
local function forgetPeriods(user, calendar, f)
  local lastPeriod = openToChange(user).streak[(f - 1) * STREAK.size + STREAK.lastPeriod]
  -- An imported streak may end before the latest period.
  local last = math.max(calendar.periods[f], lastPeriod, lastOf(user.recentPeriods))
  user.recentPeriods, user.periodsFrom = '', math.max(user.periodsFrom, last + 1)
end
