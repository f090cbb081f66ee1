--- @include "inWindow"
--- @include "matches"
--- @include "typedText"

local isHolding

local function allHold(conditions, value, day, attributes)
  for i = 1, #conditions do
    if not isHolding(conditions[i], value, day, attributes) then return false end
  end
  return true
end

local function anyHolds(conditions, value, day, attributes)
  for i = 1, #conditions do
    if isHolding(conditions[i], value, day, attributes) then return true end
  end
  return false
end

local function isListed(list, value)
  for i = 1, #list do
    if list[i] == value then return true end
  end
  return false
end

local function compares(value, to)
  return (not to.eq or value == to.eq) and (not to.ne or value ~= to.ne)
    and (not to.gt or value > to.gt) and (not to.gte or value >= to.gte)
    and (not to.lt or value < to.lt) and (not to.lte or value <= to.lte)
    and (not to.listed or isListed(to.listed, value))
end

local function userHolds(condition, text)
  local value = typedText(condition.as, text)
  if value == nil then return condition.ifMissing == true end
  return compares(value, condition.compared)
end

-- Whether a condition (ScriptCondition) holds. 1970-01-01, day 0, was a Thursday.
function isHolding(condition, value, day, attributes)
  if condition.all then return allHold(condition.all, value, day, attributes) end
  if condition.any then return anyHolds(condition.any, value, day, attributes) end
  if condition.none then return not isHolding(condition.none, value, day, attributes) end
  if condition.derived then return attributes[condition.derived] == true end
  if condition.value then return compares(value, condition.value) end
  if condition.window then return inWindow(condition.window, attributes[FACT_KEY.clock]) end
  if condition.user then return userHolds(condition, attributes[condition.user]) end
  return isListed(condition.weekdays, (day + 4) % 7)
end

-- What an event adds to a counter that asks more than the metric; nil if it does not count.
-- `attributes` by number, with those that the server has derived, and the facts by key (reportFacts).
local function computeAddend(counter, value, day, attributes)
  if counter.filter and not matches(counter.filter, attributes) then return nil end
  if counter.where and not isHolding(counter.where, value, day, attributes) then return nil end
  if counter.addsOf then return attributes[counter.addsOf] end
  return counter.adds or value
end
