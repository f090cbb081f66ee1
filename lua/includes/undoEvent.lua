--- @include "givePoints"
--- @include "userState"

-- What an event takes back that undoes another one (UNDO), beside its value.

-- Makes the evaluation set the scores that the history gives, take the points back, and take from counters
-- with conditions what the undone event had added. Revokes achievements, which can then be completed again.
local function prepareUndo(user, rules, undo, change)
  local scores, pastScores = undo[UNDO.scores], {}
  local added = undo[UNDO.addends]
  change.addends = {}
  for at = 0, #added - 1, COUNTER_ADDEND.size do
    change.addends[added[at + COUNTER_ADDEND.counter]] = added[at + COUNTER_ADDEND.addend]
  end
  for at = 0, #scores - 1, PAST_SCORE.size do
    pastScores[scores[at + PAST_SCORE.board]] = scores[at + PAST_SCORE.score]
  end
  for _, rule in ipairs(rules.boards) do
    rule.past = pastScores[rule.no]
    rule.mayFall = rule.past ~= nil
  end
  givePoints(rules, undo[UNDO.points])
  for _, no in ipairs(undo[UNDO.achievements]) do
    openToChange(user).achievements[no] = nil
    if user.repeats then user.repeats[no] = nil end
  end
end

-- Lowers the peaks of the counters that the undone event had raised, so that what was taken back can be
-- earned again.
local function lowerPeaks(user, lowered, after)
  local counters, peaks = user.counters, user.peaks or {}
  for at = 0, #lowered - 1, COUNTER_PEAK.size do
    local no = lowered[at + COUNTER_PEAK.counter]
    if after[no] then
      local peak = math.max(math.min(after[no], lowered[at + COUNTER_PEAK.peak]), counters[no])
      peaks[no], after[no] = peak > counters[no] and peak or nil, peak
    end
  end
  user.peaks = next(peaks) and peaks or false
end

local function countRevoked(context, undo)
  for _, no in ipairs(undo[UNDO.achievements]) do
    call('HINCRBY', context.prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), '-1')
  end
end
