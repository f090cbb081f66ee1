--- @include "userState"

-- Sets counters of a user to what the history has of them (FILLED). Returns the highest value of each, by
-- counter, and whether anything changed.
local function fillCounters(user, filled)
  local counters, peaks, highest, changed = user.counters, user.peaks or {}, {}, false
  local list = filled[FILLED.counters]
  for at = 0, #list - 1, FILLED_COUNTER.size do
    local no, total = list[at + FILLED_COUNTER.counter], list[at + FILLED_COUNTER.total]
    local peak, marks = list[at + FILLED_COUNTER.peak], list[at + FILLED_COUNTER.marks]
    if filled[FILLED.isWhole] or not counters[no] then
      changed = changed or counters[no] ~= total
      counters[no], highest[no] = total, peak
      if marks then
        local all = open(user).marks or {}
        if not all[no] or encode(all[no]) ~= encode(marks) then
          openToChange(user).marks, changed = all, true
          all[no] = marks
        end
      else
        peaks[no] = peak > total and peak or nil
      end
    end
  end
  user.peaks = next(peaks) and peaks or false
  return highest, changed
end
