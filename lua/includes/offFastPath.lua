--- @include "nothing"
--- @include "timeOf"
--- @include "userState"

-- Functions that an event on the fast path does not need. Redis makes the functions of a script anew in every
-- call, so these are made when a call needs one of them.
local slowFunctions
local function offFastPath()
  if slowFunctions then return slowFunctions end
  --- @include "applyProfile"
  --- @include "completeAchievements"
  --- @include "findCalendar"
  --- @include "importHold"
  --- @include "notices"
  --- @include "reportSettled"
  --- @include "schedule"
  --- @include "settleStreaks"
  --- @include "updateStreaks"
  slowFunctions = {
    applyProfile = applyProfile,
    completeAchievements = completeAchievements,
    deferAchievementNotice = deferAchievementNotice,
    dueOf = dueOf,
    earnFreezes = earnFreezes,
    findCalendar = findCalendar,
    hasEffect = hasEffect,
    reportNotices = reportNotices,
    reportSettled = reportSettled,
    schedule = schedule,
    settleStreaks = settleStreaks,
    streakInForce = streakInForce,
    updateFastPath = updateFastPath,
    updateStreaks = updateStreaks,
    whyDue = whyDue,
  }
  return slowFunctions
end
