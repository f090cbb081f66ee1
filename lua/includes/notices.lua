--- @include "settleStreaks"
--- @include "userState"

-- Notices: what users are to be told at a local hour. A calendar brings the hours around its day (NoticeTimes) if the tenant wants any;
-- `notices` is JSON until a change needs it, and absent if nothing is wanted. A notice is reported when the user is settled at its
-- instant, so nothing is remembered of those that have passed.
local function noticesOf(calendar)
  if type(calendar.notices) == 'string' then calendar.notices = cjson.decode(calendar.notices) end
  return calendar.notices
end

-- Recaps and reactivation count from the last local day with an event.
local function noteActivity(user, calendar)
  local times, day = noticesOf(calendar), calendar.periods[FREQUENCY.daily]
  if not times or #times.recaps + #times.mornings == 0 or open(user).activeDay == day then return end
  openToChange(user).activeDay = day
end

-- When achievements that have just been completed are announced: in the evening, at once if it has begun. A second announcement on the
-- same day waits for the end of the evening.
local function announcementAt(evening, sentDay, day, seconds)
  if seconds < evening[EVENING.start] then return evening[EVENING.start] end
  if seconds >= evening[EVENING.finish] then return evening[EVENING.next] end
  return sentDay == day and evening[EVENING.finish] or seconds
end

-- Puts completed achievements aside until they are announced. Those that are waiting already go with them.
local function announce(user, calendar, completed, seconds)
  local times = noticesOf(calendar)
  if not times or #times.evening == 0 then return end
  local waiting = openToChange(user).announcement or { 0, 0 }
  if #waiting == ANNOUNCEMENT.size then
    local sentDay, day = waiting[ANNOUNCEMENT.sentDay], calendar.periods[FREQUENCY.daily]
    waiting[ANNOUNCEMENT.due] = announcementAt(times.evening, sentDay, day, seconds)
  end
  for i = 1, #completed do waiting[#waiting + 1] = completed[i] end
  user.announcement = waiting
  user.due = math.min(user.due, math.max(waiting[ANNOUNCEMENT.due], seconds + 1))
end

local function isWaiting(user)
  local waiting = open(user).announcement
  return waiting and #waiting > ANNOUNCEMENT.size
end

-- Whether the streak in force will be lost at the end of a period unless it is extended.
local function endsWith(user, rules, period)
  local f = rules.streak.frequency
  local streak, base = open(user).streak, (f - 1) * STREAK.size
  return rules.streak.enabled and streak[base + STREAK.length] > 0 and streak[base + STREAK.lastPeriod] == period - 1
    and user.freezes == 0 and not isPaused(user, f, period)
end

-- Of the current period, or of the next one.
local function nextReminder(user, rules, calendar, reminder, seconds)
  local current = calendar.periods[rules.streak.frequency]
  for i = 1, #reminder do
    if reminder[i] > seconds and endsWith(user, rules, current + i - 1) then return reminder[i] end
  end
  return DUE.never
end

local function nextRecap(activeDay, recap, seconds)
  if recap[RECAP.previousDue] > seconds and activeDay >= recap[RECAP.previousFirstDay] then return recap[RECAP.previousDue] end
  return activeDay >= recap[RECAP.firstDay] and recap[RECAP.due] or DUE.never
end

-- If the calendar does not reach as far, the last morning that it knows: the user is then scheduled again.
local function nextMorning(activeDay, day, times, seconds)
  local mornings = times.mornings
  local furthest = #mornings - 1
  for i = 1, #times.absences do
    local ahead = activeDay + times.absences[i] - day
    local at = ahead >= 0 and mornings[MORNING.today + math.min(ahead, furthest)]
    if at and at > seconds then return at end
  end
  return DUE.never
end

-- The instant after `seconds` at which the user is to be told something next.
local function nextNotice(user, calendar, rules, seconds)
  local times = noticesOf(calendar)
  if not times then return DUE.never end
  local due = nextReminder(user, rules, calendar, times.reminder, seconds)
  if #times.evening > 0 and isWaiting(user) then due = math.min(due, user.announcement[ANNOUNCEMENT.due]) end
  local activeDay = open(user).activeDay
  if activeDay > 0 then
    for i = 1, #times.recaps do due = math.min(due, nextRecap(activeDay, times.recaps[i], seconds)) end
    due = math.min(due, nextMorning(activeDay, calendar.periods[FREQUENCY.daily], times, seconds))
  end
  return due
end

local function addNotice(settled, kind, frequency, period, numbers)
  local notices = settled.notices
  local n = #notices
  notices[n + NOTICE.kind], notices[n + NOTICE.frequency], notices[n + NOTICE.period] = kind, frequency, period
  notices[n + NOTICE.count] = numbers and #numbers or 0
  for i = 1, notices[n + NOTICE.count] do notices[n + NOTICE.size + i] = numbers[i] end
  settled.noticeCount = settled.noticeCount + 1
end

-- A user who has moved may be waiting for an hour that is not in the evening: the announcement then waits for the next evening.
local function takeAnnouncement(user, evening, day, seconds, settled)
  local waiting = user.announcement
  if seconds < evening[EVENING.start] or seconds > evening[EVENING.finish] then
    openToChange(user)
    waiting[ANNOUNCEMENT.due] = announcementAt(evening, 0, day, seconds)
    return
  end
  local numbers = {}
  for i = ANNOUNCEMENT.size + 1, #waiting do numbers[#numbers + 1] = waiting[i] end
  addNotice(settled, NOTICE_KIND.achievements, 0, day, numbers)
  openToChange(user).announcement = { 0, day }
end

-- Reports into `settled` what the user is to be told at this instant: NOTICE records, each followed by its numbers.
local function takeNotices(user, calendar, rules, seconds, settled)
  local times, day = noticesOf(calendar), calendar.periods[FREQUENCY.daily]
  if not times then return end
  if #times.evening > 0 and isWaiting(user) and user.announcement[ANNOUNCEMENT.due] <= seconds then
    takeAnnouncement(user, times.evening, day, seconds, settled)
  end
  local current = calendar.periods[rules.streak.frequency]
  if times.reminder[REMINDER.current] == seconds and endsWith(user, rules, current) then
    addNotice(settled, NOTICE_KIND.reminder, rules.streak.frequency, current)
  end
  local activeDay = open(user).activeDay
  for i = 1, #times.recaps do
    local recap = times.recaps[i]
    if recap[RECAP.previousDue] == seconds and activeDay >= recap[RECAP.previousFirstDay] then
      addNotice(settled, NOTICE_KIND.recap, recap[RECAP.frequency], recap[RECAP.previousFirstDay])
    end
  end
  for i = 1, times.mornings[MORNING.today] == seconds and #times.absences or 0 do
    if day - activeDay == times.absences[i] then addNotice(settled, NOTICE_KIND.reactivation, 0, day, { i, times.absences[i] }) end
  end
end
