--- @include "blockUser"

-- Ends a hold by lua/holdUser.lua in a user's state. The user is due now (seconds since 1970).
local function releaseHold(user, seconds)
  user.due = endOfBlock(user) and -seconds or seconds
end
