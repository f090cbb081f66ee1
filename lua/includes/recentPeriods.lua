--- @include "userState"

-- The latest periods of the streak in force as the history has them, so that short reads need no history.
-- `recentPeriods` is '' or a text of numbers, each of four digits of base 128: the last of
-- RECENT_PERIODS.count periods, then a slot for each of them, the last one at the end. A slot is 0 if the
-- history has no row of the period, else 1 + kind (0: extended, or COVERED_BY) + length *
-- RECENT_PERIODS.kinds. A text is copied as a whole; a list would be decoded value by value with every cold
-- part. From the period `periodsFrom` on, the slots are those of the history. They change as the relay
-- changes it (src/db/history/writeStreaks.ts): a row that is there stays.

local NO_ROW = '\0\0\0\0'

local function digits(number)
  local fourth = number % 128
  number = (number - fourth) / 128
  local third = number % 128
  number = (number - third) / 128
  local second = number % 128
  return string.char((number - second) / 128, second, third, fourth)
end

-- The last period; a number before all periods without any.
local function lastOf(text)
  if text == '' then return -1 end
  local first, second, third, fourth = text:byte(1, #NO_ROW)
  return ((first * 128 + second) * 128 + third) * 128 + fourth
end

-- Sets the slot of one of the kept periods to `slot`, if it is, or is not, NO_ROW.
local function setSlot(user, period, slot, isFree)
  local text = user.recentPeriods
  local ago, size = lastOf(text) - period, #NO_ROW
  if text == '' or ago < 0 or ago >= RECENT_PERIODS.count then return end
  local before, later = text:sub(1, -size * ago - size - 1), ago > 0 and text:sub(-size * ago) or ''
  if (text:sub(#before + 1, #before + size) == NO_ROW) == isFree then
    user.recentPeriods = before .. slot .. later
  end
end

-- Adds a period that was extended (kind 0) or covered (COVERED_BY). A row that is there stays, and periods
-- before those that are kept are left out.
local function addPeriod(user, period, length, kind)
  local text, slot = openToChange(user).recentPeriods, digits(1 + kind + length * RECENT_PERIODS.kinds)
  local after, count = period - lastOf(text), RECENT_PERIODS.count
  if text == '' or after >= count then
    user.recentPeriods = digits(period) .. NO_ROW:rep(count - 1) .. slot
  elseif after > 0 then
    local kept, none = text:sub(-#NO_ROW * (count - after)), NO_ROW:rep(after - 1)
    user.recentPeriods = digits(period) .. kept .. none .. slot
  else
    setSlot(user, period, slot, true)
  end
end

-- Adds the periods that settling covered.
local function addCovered(user, settled)
  local covered = settled.covered
  for at = 0, #covered - 1, COVERED.size do
    addPeriod(user, covered[at + COVERED.period], covered[at + COVERED.length], covered[at + COVERED.by])
  end
end
