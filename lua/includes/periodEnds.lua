-- Returns when a period ends, seconds since 1970. A calendar knows the periods around the current one: for
-- earlier periods 0 is returned, for later ones the last known end. The list is JSON until a change needs it.
local function endOf(calendar, f, period)
  if type(calendar.ends) == 'string' then calendar.ends = cjson.decode(calendar.ends) end
  local position = math.min(period - calendar.periods[f], CALENDAR.periodsAround) + CALENDAR.periodsAround + 1
  if position < 1 then return 0 end
  return calendar.ends[(f - 1) * CALENDAR.periodsKnown + position]
end

-- Returns when the streak of a frequency ends unless it is extended: at the end of the next period, in the
-- zone where that is latest, of all zones in which the user has been since the last extension. The slack is
-- the time that such a zone grants beyond the present one.
local function deadlineOf(user, calendar, f)
  local streak, base = user.streak, (f - 1) * STREAK.size
  return endOf(calendar, f, streak[base + STREAK.lastPeriod] + 1) + streak[base + STREAK.slack]
end
