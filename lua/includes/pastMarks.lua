-- Returns what the history has of periods that the user's state has forgotten, MARK_PAST by counter.
local function pastMarks(flat)
  local past = {}
  for at = 0, #flat - 1, MARK_PAST.size do
    local mark = {}
    mark[MARK_PAST.total], mark[MARK_PAST.has] = flat[at + MARK_PAST.total], flat[at + MARK_PAST.has]
    past[flat[at + MARK_PAST.counter]] = mark
  end
  return past
end
