--- @include "nothing"
--- @include "truncate"

-- The events of a metrics event all count, or none does. So before the first one is recorded, all are
-- evaluated without leaderboards, which changes the user and the outcomes in memory only.

-- Whether an event behind the first may be refused. `rulesOfEvents`: of each event.
local function mayRefuseLater(rulesOfEvents)
  for i = 2, #rulesOfEvents do
    if rulesOfEvents[i].mayRefuse or rulesOfEvents[i].guards then return true end
  end
  return false
end

local function withoutBoards(rules)
  local copy = {}
  for name, value in pairs(rules) do copy[name] = value end
  copy.boards, copy.left = NOTHING, nil
  return copy
end

-- Calls evaluateNext(i, rules) for each event until one is refused, and forgets the reports. The user has
-- changed and must be read again.
-- Returns the number of the refused event and its report; nil if all would count.
local function rehearse(context, rulesOfEvents, evaluateNext)
  local out, index = context.out, context.index
  local start, refusedNo, refusal = #out, nil, {}
  context.rehearses = true
  for i = 1, #rulesOfEvents do
    local before = #out
    if not evaluateNext(i, withoutBoards(rulesOfEvents[i])) then
      for n = before + 1, #out do refusal[n - before] = out[n] end
      refusedNo = i
      break
    end
  end
  truncate(out, start)
  context.index, context.rehearses = index, false
  return refusedNo, refusal
end
