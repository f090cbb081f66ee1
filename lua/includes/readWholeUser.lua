--- @include "userState"

-- Reads both parts of a user with one command, for a change that needs the cold part in any case. Returns
-- false if the user does not exist.
local function readWholeUser(user, prefix, userId)
  user.key, user.attributesBefore = prefix .. TENANT_KEY.user(userId), nil
  user.hasNewSignUp = nil
  local parts = call('HMGET', user.key, USER_PART.hot, USER_PART.cold)
  local hot = parts[STORED_PARTS.hot]
  if not hot then return false end
  user.isNew, user.isOpen, user.coldChanged = false, true, false
  user[USER_HOT.all] = decode(hot)
  user[USER_COLD.all] = decode(parts[STORED_PARTS.cold])
  user.dueBefore = user.due
  return true
end
