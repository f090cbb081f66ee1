-- True when `attributes` (no → value) has every pair of the filter { no, value, no, value, … }; no filter matches all.
local function matches(filter, attributes)
  if not filter then return true end
  for i = 1, #filter, 2 do
    if attributes[filter[i]] ~= filter[i + 1] then return false end
  end
  return true
end

local function matchesUser(filter, user)
  return not filter or matches(filter, open(user).attributes)
end
