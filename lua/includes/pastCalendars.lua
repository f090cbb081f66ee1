--- @include "calendars"

-- The calendars of a time zone at instants of the past. Each holds from one instant up to and without another
-- one (PAST_CALENDAR), and is decoded when it is first needed.
local function newPastCalendars(index, packed)
  local past = { packed = packed }
  for at = 0, #index - 1, PAST_CALENDAR.size do
    local zone = index[at + PAST_CALENDAR.zone]
    past[zone] = past[zone] or {}
    past[zone][#past[zone] + 1] = {
      from = index[at + PAST_CALENDAR.from], till = index[at + PAST_CALENDAR.till],
      first = index[at + PAST_CALENDAR.first], last = index[at + PAST_CALENDAR.last], calendar = false,
    }
  end
  return past
end

-- Returns the calendar of a zone at an instant (seconds since 1970), nil if the call lacks it.
local function calendarAt(past, zone, seconds)
  local list = past[zone]
  if not list then return nil end
  local low, high = 1, #list
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if list[middle].from <= seconds then low = middle else high = middle - 1 end
  end
  local piece = list[low]
  if seconds < piece.from or seconds >= piece.till then return nil end
  if not piece.calendar then
    local found = readCalendars(past.packed:sub(piece.first, piece.last))
    piece.calendar = found[#found]
  end
  return piece.calendar
end
