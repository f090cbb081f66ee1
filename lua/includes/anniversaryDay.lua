--- @include "firstDayOfMonth"

-- Returns the local day on which a date (YYYY-MM-DD) comes `years` later. 29 February comes on 1 March in
-- years that are not leap years.
local function anniversaryDay(date, years)
  local year, month, day = date:match('(%d+)-(%d+)-(%d+)')
  return firstDayOfMonth((year - 1970 + years) * 12 + month - 1) + day - 1
end
