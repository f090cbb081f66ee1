-- Keys that several events of a user's past have. `used` of a token: until when each is used, by its number.

-- The records of PAST_KEY by the position of their events.
local function sharedKeys(flat)
  local byEvent = {}
  for at = 0, #flat - 1, PAST_KEY.size do
    local key = { no = flat[at + PAST_KEY.key], freeAt = flat[at + PAST_KEY.freeAt] }
    byEvent[flat[at + PAST_KEY.event]] = key
  end
  return byEvent
end

-- Returns how many of `count` events, from the position `first` on, have keys that are used at an instant.
local function countUsed(shared, used, first, count, instant)
  local found = 0
  for event = first, first + count - 1 do
    local key = shared[event]
    if key and instant < (used[key.no] or 0) then found = found + 1 end
  end
  return found
end

local function markUsed(shared, used, first, count)
  for event = first, first + count - 1 do
    local key = shared[event]
    if key then used[key.no] = key.freeAt end
  end
end
