-- Returns a number as an argument of a command. Redis formats numbers with 17 digits, which costs more than
-- most commands; whole numbers do not need that.
local function decimal(number)
  if number % 1 == 0 and number < 1e15 and number > -1e15 then return format('%d', number) end
  return number
end
