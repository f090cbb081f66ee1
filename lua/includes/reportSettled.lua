--- @include "truncate"

local function hasEffect(settled)
  return settled.lost > 0 or settled.earned > 0 or #settled.covered > 0
end

-- Completes the report of a settled user: SETTLED, then each COVERED, then each NOTICE with its numbers.
-- Removes the report if settling changed nothing. A streak that comes into force is reported although nobody
-- sees it. A restore must have another frequency, because what was missed before uses no freeze. The history
-- may have the length 0 of a streak that was switched off.
local function reportSettled(user, settled, effects, out, start)
  if effects == 0 and settled.noticeCount == 0 and not hasEffect(settled) and not settled.comesIntoForce then
    truncate(out, start)
    user.sequence = user.sequence - 1
    return
  end
  out[start + CHANGE.outcome] = OUTCOME.settled
  local n, covered = #out, settled.covered
  out[n + SETTLED.lost], out[n + SETTLED.earned] = settled.lost, settled.earned
  out[n + SETTLED.freezes], out[n + SETTLED.coveredCount] = user.freezes, #covered / COVERED.size
  out[n + SETTLED.noticeCount] = settled.noticeCount
  for i = 1, #covered do out[n + SETTLED.size + i] = covered[i] end
  local notices = settled.notices
  n = #out
  for i = 1, #notices do out[n + i] = notices[i] end
end
