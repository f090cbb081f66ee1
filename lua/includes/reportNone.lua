--- @include "evaluate"

-- Reports why the events of a metrics event do not count: because of the one with this number.
local function reportNone(out, count, refusedNo, refusal)
  for i = 1, count do
    if i == refusedNo then report(out, unpack(refusal)) else report(out, OUTCOME.unchanged) end
  end
end
