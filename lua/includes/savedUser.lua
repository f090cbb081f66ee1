--- @include "userState"

-- Keeps the user as it is.
local function saveUser(user, saved)
  open(user)
  saved.hot, saved.cold = encode(user[USER_HOT.all]), encode(user[USER_COLD.all])
  saved.isNew = user.isNew
end

local function restoreUser(user, saved)
  user[USER_HOT.all] = decode(saved.hot)
  user[USER_COLD.all] = decode(saved.cold)
  user.isNew, user.attributesBefore, user.hasNewSignUp = saved.isNew, nil, nil
end
