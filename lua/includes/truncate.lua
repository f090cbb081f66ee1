-- Removes all values behind the first `length`.
local function truncate(out, length)
  for i = #out, length + 1, -1 do out[i] = nil end
end
