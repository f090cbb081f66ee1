-- Whether a filter may contain the fingerprint at `position`. The result is wrongly true for fewer than one
-- in 10,000 fingerprints. src/redis/keys/keyFilter.ts builds and describes filters.
local function mayContain(prefix, filter, lines, position)
  local at = position * lines
  local line = floor(at)
  local tag = floor((at - line) * KEY_FILTER.tags)
  local chunk = prefix .. TENANT_KEY.keyFilter(filter) .. floor(line / KEY_FILTER.lines)
  local offset = line % KEY_FILTER.lines * 2
  local low, high, endLow, endHigh = string.byte(call('GETRANGE', chunk, offset, offset + 3), 1, 4)
  local first, beyond = low + 256 * high, endLow + 256 * endHigh
  if first == beyond then return false end
  local tags = call('GETRANGE', chunk, KEY_FILTER.head + 2 * first, KEY_FILTER.head + 2 * beyond - 1)
  for i = 1, #tags, KEY_FILTER.numberBytes do
    low, high = string.byte(tags, i, i + 1)
    if low + 256 * high == tag then return true end
  end
  return false
end
