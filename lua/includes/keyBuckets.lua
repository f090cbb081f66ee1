-- The fingerprints of a slice of used idempotency keys are in `buckets` sets of integers, 8 bytes each. The
-- sets are numbered from `buckets` to 2 * buckets - 1, and the position of a fingerprint names its set. The
-- sets grow one by one (linear hashing: W. Litwin, 1980): the set with the lowest number, n, is split into
-- 2n and 2n + 1.

-- Position of a fingerprint among all fingerprints, 0 to below 1.
local function positionOf(fingerprint)
  local position = tonumber(fingerprint) / 2 ^ 64 + 0.5
  return position < 1 and position or 0
end

-- Number of the set for a position. `width` is the greatest power of two up to `buckets`.
local function bucketAt(position, buckets, width)
  local number = width + floor(position * width)
  if number >= buckets then return number end
  return 2 * width + floor(position * 2 * width)
end

local function widthOf(buckets)
  local width = 1
  while 2 * width <= buckets do width = 2 * width end
  return width
end

local function bucketKey(prefix, number) return prefix .. format('%d', number) end

-- Splits the set with the lowest number.
local function splitBucket(prefix, buckets)
  local key, halves, width = bucketKey(prefix, buckets), {}, widthOf(buckets)
  for _, fingerprint in ipairs(call('SMEMBERS', key)) do
    local number = bucketAt(positionOf(fingerprint), buckets + 1, width)
    local half = halves[number] or {}
    halves[number] = half
    half[#half + 1] = fingerprint
  end
  call('UNLINK', key)
  for number, half in pairs(halves) do call('SADD', bucketKey(prefix, number), unpack(half)) end
end
