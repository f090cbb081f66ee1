-- Returns the first day of a month, both counted from 1970.
local function firstDayOfMonth(month)
  local year, m = 1970 + floor(month / 12), month % 12 + 1
  -- Years begin in March here, so that the leap day comes last.
  if m <= 2 then year = year - 1 end
  local dayOfYear = floor((153 * ((m + 9) % 12) + 2) / 5)
  return 365 * year + floor(year / 4) - floor(year / 100) + floor(year / 400) + dayOfYear - 719468
end
