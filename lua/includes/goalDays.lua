-- The local days on which a goal has counted in a run: a list of GOAL_DAY_BLOCK, the earliest first. A run
-- may be longer than the days that counters remember.

-- Returns where the block of a day is or belongs, its number, and the bit of the day.
local function findDay(blocks, day)
  local number, at = floor(day / GOAL_DAYS.perBlock), 0
  while blocks[at + GOAL_DAY_BLOCK.number] and blocks[at + GOAL_DAY_BLOCK.number] < number do
    at = at + GOAL_DAY_BLOCK.size
  end
  return at, number, 2 ^ (day % GOAL_DAYS.perBlock)
end

local function hasBit(bits, bit) return floor(bits / bit) % 2 == 1 end

-- Returns the number of different days with this one, and the days.
local function withGoalDay(total, blocks, day)
  blocks = blocks or {}
  local at, number, bit = findDay(blocks, day)
  if blocks[at + GOAL_DAY_BLOCK.number] ~= number then
    table.insert(blocks, at + GOAL_DAY_BLOCK.number, number)
    table.insert(blocks, at + GOAL_DAY_BLOCK.bits, 0)
  end
  local bits = blocks[at + GOAL_DAY_BLOCK.bits]
  if hasBit(bits, bit) then return total, blocks end
  blocks[at + GOAL_DAY_BLOCK.bits] = bits + bit
  if #blocks > GOAL_DAYS.blocks * GOAL_DAY_BLOCK.size then
    for _ = 1, GOAL_DAY_BLOCK.size do table.remove(blocks, 1) end
  end
  return total + 1, blocks
end

-- Returns the number of different days without one that has no event any more.
local function withoutGoalDay(total, blocks, day)
  local at, number, bit = findDay(blocks or {}, day)
  if not blocks or blocks[at + GOAL_DAY_BLOCK.number] ~= number then return total end
  local bits = blocks[at + GOAL_DAY_BLOCK.bits]
  if not hasBit(bits, bit) then return total end
  blocks[at + GOAL_DAY_BLOCK.bits] = bits - bit
  return total - 1
end
