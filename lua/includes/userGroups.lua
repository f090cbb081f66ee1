--- @include "userState"

-- The name of a group: the values of the breakdown attributes, each with its length, so that no two groups
-- share a name. nil if the user lacks one of them.
local function groupByValues(breakdown, attributes)
  local parts = {}
  for i, no in ipairs(breakdown) do
    local value = attributes[no]
    if not value then return nil end
    parts[i] = #value .. ':' .. value
  end
  return table.concat(parts, ',')
end

-- The user's group by attributes.
local function groupOf(breakdown, user)
  return #breakdown == 0 and '' or groupByValues(breakdown, open(user).attributes)
end

-- The same after this change and before it.
local function groupsOf(breakdown, user)
  local group = groupOf(breakdown, user)
  if not user.attributesBefore or #breakdown == 0 then return group, group end
  return group, groupByValues(breakdown, user.attributesBefore)
end
