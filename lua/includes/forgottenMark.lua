--- @include "userState"

-- Whether the user's state does not say what an event changes that a counter counts: it is older than what
-- the counter remembers (countMarked.lua).
local function isForgotten(user, counter, day, periods)
  local marks = counter.marks and open(user).marks
  marks = marks and marks[counter.no]
  if not marks or counter.keeps == COUNTER_KEEPS.values and not counter.per then return false end
  if #marks == 0 then return false end
  if counter.per then return periods[counter.per] <= marks[MARK.period] - KEPT_MARKS.periods end
  return day <= marks[MARK.memory][DAYS.last] - KEPT_MARKS.days
end
