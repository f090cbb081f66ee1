--- @include "daySet"
--- @include "decimalSum"
--- @include "forgottenMark"
--- @include "userState"

-- Counters that remember more than a total (docs/conditions.md): of days, of the greatest or of different
-- values, and those that count within a period. `marks` of the user has them by counter: flat lists of MARK,
-- the latest period first, and no more than a journey can go back to. A counter for ever has one MARK with
-- the period 0 and no total, which is that of the counter.

-- Returns the days without one that has no event any more.
local function withoutDay(days, day)
  local bit = days and day <= days[DAYS.last] and 2 ^ (days[DAYS.last] - day)
  if not bit or bit >= 2 ^ KEPT_MARKS.days or floor(days[DAYS.bits] / bit) % 2 == 0 then return days end
  return { [DAYS.last] = days[DAYS.last], [DAYS.bits] = days[DAYS.bits] - bit }
end

-- Returns the number of different values with this one, and the values, each as a number made of 52 bits of
-- its SHA-1.
local function withValue(total, values, value)
  local number = tonumber(string.sub(redis.sha1hex(value), 1, 13), 16)
  values = values or {}
  for i = 1, #values do
    if values[i] == number then return total, values end
  end
  if #values >= KEPT_MARKS.values then return total, values end
  values[#values + 1] = number
  return total + 1, values
end

-- Returns the total with an event, and what the counter then remembers. `undone`: whether the event undoes
-- another one and `addend` is what that takes away.
local function totalWith(counter, total, memory, addend, day, undone)
  local keeps = counter.keeps
  if undone then
    if keeps == COUNTER_KEEPS.days and addend < 0 then memory = withoutDay(memory, day) end
    return decimalSum(total, addend), memory
  end
  if not keeps then return decimalSum(total, addend), false end
  if keeps == COUNTER_KEEPS.greatest then return math.max(total, addend), false end
  if keeps == COUNTER_KEEPS.days then return withDay(total, memory, day) end
  return withValue(total, memory, addend)
end

-- Returns where the MARK of a period is or belongs, and whether it is there.
local function findMark(marks, period)
  local at = 0
  while at < #marks and marks[at + MARK.period] > period do at = at + MARK.size end
  return at, marks[at + MARK.period] == period
end

local function insertMark(marks, at)
  for i = #marks - at, 1, -1 do marks[at + i + MARK.size] = marks[at + i] end
  for i = KEPT_MARKS.periods * MARK.size + 1, #marks do marks[i] = nil end
end

-- Counts an event in its period. Puts the totals of that period before and after into the result.
local function countInPeriod(user, counter, marks, addend, period, day, change, result)
  local no, undone = counter.no, change.addends ~= nil
  local at, isThere = findMark(marks, period)
  local total = isThere and marks[at + MARK.total] or 0
  local sum, memory = totalWith(counter, total, isThere and marks[at + MARK.memory], addend, day, undone)
  result.peaksBefore[no], result.peaksAfter[no] = total, sum
  if not isThere then
    if undone then return end
    insertMark(marks, at)
  end
  marks[at + MARK.period], marks[at + MARK.total], marks[at + MARK.memory] = period, sum, memory
  if at == 0 then user.counters[no] = sum end
end

-- Counts an event of a period that the user's state has forgotten, by what the history has of it (MARK_PAST).
-- Returns what it adds to the total for ever.
local function countByHistory(counter, past, addend, result)
  local keeps, total = counter.keeps, past[MARK_PAST.total]
  local sum = total
  if not keeps then
    sum = decimalSum(total, addend)
  elseif keeps == COUNTER_KEEPS.greatest then
    sum = math.max(total, addend)
  elseif not past[MARK_PAST.has] then
    sum = keeps == COUNTER_KEEPS.values and math.min(total + 1, KEPT_MARKS.values) or total + 1
  end
  if not counter.per then return sum - total end
  result.peaksBefore[counter.no], result.peaksAfter[counter.no] = total, sum
end

-- Counts an event for a counter that remembers more than a total. Returns what it adds to the total; nothing
-- if it does not count, or within a period. `addend`: what it would add to a sum, nil if it does not count;
-- for COUNTER_KEEPS.values the value itself.
local function countMarked(user, counter, addend, day, periods, change, result)
  local no = counter.no
  if counter.per then result.peaksBefore[no], result.peaksAfter[no] = nil, nil end
  if not addend then return nil end
  if counter.keeps == COUNTER_KEEPS.greatest and not counter.per then
    return change.addends and addend or math.max(addend - (user.counters[no] or 0), 0)
  end
  if isForgotten(user, counter, day, periods) then
    if change.addends then return not counter.per and addend or nil end
    return countByHistory(counter, change.past[no], addend, result)
  end
  openToChange(user).marks = user.marks or {}
  local marks = user.marks[no] or {}
  user.marks[no] = marks
  if counter.per then
    return countInPeriod(user, counter, marks, addend, periods[counter.per], day, change, result)
  end
  local sum, memory = totalWith(counter, 0, marks[MARK.memory], addend, day, change.addends ~= nil)
  if memory then marks[MARK.period], marks[MARK.total], marks[MARK.memory] = 0, 0, memory end
  return sum
end
