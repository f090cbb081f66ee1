-- Returns the number of days with this one, and the days as DAYS: the last one, and a bit for each day up to
-- it, the lowest for the last. Weeks and months are counted in the same way.
local function withDay(total, days, day)
  local last, bits = day, 0
  if days then last, bits = days[DAYS.last], days[DAYS.bits] end
  if day > last then
    bits = day - last < KEPT_MARKS.days and bits * 2 ^ (day - last) % 2 ^ KEPT_MARKS.days or 0
    last = day
  end
  local bit = 2 ^ (last - day)
  if floor(bits / bit) % 2 == 1 then return total, days end
  return total + 1, { [DAYS.last] = last, [DAYS.bits] = bits + bit }
end
