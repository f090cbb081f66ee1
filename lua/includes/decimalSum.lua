local DECIMALS_MAX = 30

-- Returns a sum in decimals: ten times 0.1 is 1, and 1.4 - 1.3 is 0.1. Whole numbers are exact already;
-- others keep 15 digits, counted from the first digit of the greater addend.
local function decimalSum(a, b)
  local sum = a + b
  if sum % 1 == 0 then return sum end
  local decimals = 14 - floor(math.log10(math.max(math.abs(a), math.abs(b))))
  return tonumber(format('%.' .. math.max(0, math.min(decimals, DECIMALS_MAX)) .. 'f', sum))
end
