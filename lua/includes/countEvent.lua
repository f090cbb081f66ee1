local function attributesOfEvent(flat)
  local attributes = {}
  if flat then
    for i = 1, #flat, 2 do attributes[flat[i]] = flat[i + 1] end
  end
  return attributes
end

-- Raises every counter whose filter the event matches. Puts the peaks before and after into `before` and `after`, by
-- counter, in place of those that an earlier event for the same rules left there. What was earned on the way up is not
-- earned again after going down, so a peak is kept while its counter stands below it.
local function countEvent(user, rules, value, flatAttributes, before, after)
  local counters, peaks, attributes = user.counters, user.peaks, nil
  local list = rules.counters
  for i = 1, #list do
    local counter = list[i]
    local filter = counter.filter
    if filter then attributes = attributes or attributesOfEvent(flatAttributes) end
    if not filter or matches(filter, attributes) then
      local no = counter.no
      local old = counters[no] or 0
      local total = old + value
      local peak = peaks and peaks[no] or old > 0 and old or 0
      before[no] = peak
      if total < peak then
        peaks = peaks or {}
        peaks[no] = peak
      else
        if peaks then peaks[no] = nil end
        peak = total
      end
      after[no] = peak
      counters[no] = total
    else
      before[counter.no], after[counter.no] = nil, nil
    end
  end
  if peaks then user.peaks = next(peaks) and peaks or false end
end
