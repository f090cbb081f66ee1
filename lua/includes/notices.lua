--- @include "daysOff"
--- @include "settleStreaks"
--- @include "userState"

-- Notices tell users something at a local hour. A calendar has the hours around its day (NoticeTimes) if the
-- tenant wants notices; `notices` is JSON until a change needs it, and absent if nothing is wanted. A notice
-- is reported when the user is settled at its instant, so nothing is stored of notices in the past.
local function noticesOf(calendar)
  if type(calendar.notices) == 'string' then calendar.notices = cjson.decode(calendar.notices) end
  return calendar.notices
end

-- Recaps and reactivation count from the last local day with an event.
local function recordActivity(user, calendar)
  local times, day = noticesOf(calendar), calendar.periods[FREQUENCY.daily]
  if not times or #times.recaps + #times.mornings == 0 or open(user).activeDay == day then return end
  openToChange(user).activeDay = day
end

-- Returns when achievements that have just been completed are notified: in the evening, at once if it has
-- begun. A second notice on the same day is due at the end of the evening.
local function achievementNoticeAt(evening, sentDay, day, seconds)
  if seconds < evening[EVENING.start] then return evening[EVENING.start] end
  if seconds >= evening[EVENING.finish] then return evening[EVENING.next] end
  return sentDay == day and evening[EVENING.finish] or seconds
end

-- Adds an achievement to the user's next notice of achievements.
local function addToAchievementNotice(user, calendar, times, no, seconds)
  local waiting = openToChange(user).achievementNotice or { 0, 0 }
  if #waiting == ACHIEVEMENT_NOTICE.size then
    local sentDay, day = waiting[ACHIEVEMENT_NOTICE.sentDay], calendar.periods[FREQUENCY.daily]
    waiting[ACHIEVEMENT_NOTICE.due] = achievementNoticeAt(times.evening, sentDay, day, seconds)
  end
  waiting[#waiting + 1] = no
  user.achievementNotice = waiting
  user.due = math.min(user.due, math.max(waiting[ACHIEVEMENT_NOTICE.due], seconds + 1))
end

-- Adds the completed achievements, except silent ones, to the user's next notice of achievements.
local function deferAchievementNotice(user, calendar, completed, seconds)
  local times = noticesOf(calendar)
  if not times or #times.evening == 0 then return end
  for i = 1, #completed do
    if completed[i] > 0 then addToAchievementNotice(user, calendar, times, completed[i], seconds) end
  end
end

local function hasAchievementNotice(user)
  local waiting = open(user).achievementNotice
  return waiting and #waiting > ACHIEVEMENT_NOTICE.size
end

-- Whether the streak in force will be lost at the end of a period unless it is extended.
local function endsWith(user, rules, period)
  local f = rules.streak.frequency
  local streak, base = open(user).streak, (f - 1) * STREAK.size
  return rules.streak.enabled and streak[base + STREAK.length] > 0
    and streak[base + STREAK.lastPeriod] == period - 1 and user.freezes == 0 and not isPaused(user, f, period)
    and not isDayOff(daysOffOf(user, rules.streak), period)
end

-- Returns the next reminder, of the current period or of the next one. After a journey to the west, a streak
-- may end later than with the next period: the user is then scheduled again at the last known reminder.
local function nextReminder(user, rules, calendar, reminder, seconds)
  local f = rules.streak.frequency
  local current = calendar.periods[f]
  local lastPeriod = open(user).streak[(f - 1) * STREAK.size + STREAK.lastPeriod]
  if #reminder > 0 and endsWith(user, rules, lastPeriod + 1) and lastPeriod > current then
    return reminder[REMINDER.next]
  end
  for i = 1, #reminder do
    if reminder[i] > seconds and endsWith(user, rules, current + i - 1) then return reminder[i] end
  end
  return DUE.never
end

local function nextRecap(activeDay, recap, seconds)
  if recap[RECAP.previousDue] > seconds and activeDay >= recap[RECAP.previousFirstDay] then
    return recap[RECAP.previousDue]
  end
  return activeDay >= recap[RECAP.firstDay] and recap[RECAP.due] or DUE.never
end

-- Returns the next morning of a reactivation notice. If it is later than the calendar's last morning, returns
-- the last morning: the user is then scheduled again.
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

-- Returns the instant after `seconds` at which the user's next notice is due.
local function nextNotice(user, calendar, rules, seconds)
  local times = noticesOf(calendar)
  if not times then return DUE.never end
  local due = nextReminder(user, rules, calendar, times.reminder, seconds)
  if #times.evening > 0 and hasAchievementNotice(user) then
    due = math.min(due, user.achievementNotice[ACHIEVEMENT_NOTICE.due])
  end
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
  notices[n + NOTICE.kind], notices[n + NOTICE.frequency] = kind, frequency
  notices[n + NOTICE.period] = period
  notices[n + NOTICE.count] = numbers and #numbers or 0
  for i = 1, notices[n + NOTICE.count] do notices[n + NOTICE.size + i] = numbers[i] end
  settled.noticeCount = settled.noticeCount + 1
end

-- Reports the notice of achievements. For a user who has moved to another zone, its instant may not be in the
-- evening; it is then due in the next evening.
local function reportAchievements(user, evening, day, seconds, settled)
  local waiting = user.achievementNotice
  if seconds < evening[EVENING.start] or seconds > evening[EVENING.finish] then
    openToChange(user)
    waiting[ACHIEVEMENT_NOTICE.due] = achievementNoticeAt(evening, 0, day, seconds)
    return
  end
  local numbers = {}
  for i = ACHIEVEMENT_NOTICE.size + 1, #waiting do numbers[#numbers + 1] = waiting[i] end
  addNotice(settled, NOTICE_KIND.achievements, 0, day, numbers)
  openToChange(user).achievementNotice = { 0, day }
end

-- Adds the notices of this instant to `settled`: NOTICE records, each followed by its numbers.
local function reportNotices(user, calendar, rules, seconds, settled)
  local times, day = noticesOf(calendar), calendar.periods[FREQUENCY.daily]
  if not times then return end
  if #times.evening > 0 and hasAchievementNotice(user)
    and user.achievementNotice[ACHIEVEMENT_NOTICE.due] <= seconds then
    reportAchievements(user, times.evening, day, seconds, settled)
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
    if day - activeDay == times.absences[i] then
      addNotice(settled, NOTICE_KIND.reactivation, 0, day, { i, times.absences[i] })
    end
  end
end
