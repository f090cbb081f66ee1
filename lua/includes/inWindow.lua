-- Whether a local instant (ms) is in a WINDOW of the day.
local function inWindow(window, localMs)
  local second = floor(localMs / 1000) % 86400
  local from, to = window[WINDOW.from], window[WINDOW.to]
  if from <= to then return second >= from and second < to end
  return second >= from or second < to
end
