-- Which goals of a challenge a user gets in a run (src/rules/challenges/drawnGoals.ts).

-- Returns a number from 52 bits of a hash.
local function hashOfRun(context, challenge, run)
  local text = context.tenant .. ':' .. challenge .. ':' .. run .. ':' .. context.userId
  return tonumber(string.sub(redis.sha1hex(text), 1, 13), 16)
end

-- Returns the index from 0 of the set of goals in a run: never that of the run before or after.
local function drawnIndex(context, challenge, run, count)
  if count == 2 then return (hashOfRun(context, challenge, 0) + run) % 2 end
  local index = hashOfRun(context, challenge, run)
  if run % 2 == 0 then return index % count end
  local before = hashOfRun(context, challenge, run - 1) % count
  local after = hashOfRun(context, challenge, run + 1) % count
  local lower, upper = math.min(before, after), math.max(before, after)
  index = index % (lower == upper and count - 1 or count - 2)
  if index >= lower then index = index + 1 end
  if upper ~= lower and index >= upper then index = index + 1 end
  return index
end

-- Returns the goals of the user in a run as bits of positions from 0; nil for all of them.
local function drawnBits(context, challenge, run)
  local sets = challenge.sets
  if not sets then return nil end
  local position = 1 + drawnIndex(context, challenge.no, run, #sets)
  return sets[position]
end

-- Whether the goal at a position from 1 is one of them.
local function isDrawn(bits, position)
  return not bits or floor(bits / 2 ^ (position - 1)) % 2 == 1
end
