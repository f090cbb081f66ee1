-- Takes back what was reported behind the first `length` values.
local function takeBack(out, length)
  for i = #out, length + 1, -1 do out[i] = nil end
end
