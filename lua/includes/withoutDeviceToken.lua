--- @include "userState"

-- Returns the profile that removes one device token of a user and keeps the others; false if the user has no
-- tokens.
local function withoutDeviceToken(user, lost)
  local tokens = open(user).deviceTokens
  if not tokens then return false end
  local kept = {}
  for _, token in ipairs(tokens) do
    if token ~= lost then kept[#kept + 1] = token end
  end
  return { deviceTokens = kept }
end
