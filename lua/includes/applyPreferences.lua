--- @include "settleStreaks"
--- @include "userState"

-- Sets the passed preferences, by name; the others stay. A user who turns the streak off loses it. Returns
-- whether anything changed.
local function applyPreferences(user, passed, now)
  open(user)
  local preferences, changed = user.preferences or {}, false
  for name, value in pairs(passed) do
    -- Lists are compared in packed form.
    if preferences[name] == nil or encode(value) ~= encode(preferences[name]) then
      preferences[name] = value
      changed = true
    end
  end
  if not changed then return false end
  openToChange(user)
  user.preferences, user.updated, user.fastPathDay = preferences, now, 0
  if passed.streakEnabled == false then loseStreaks(user) end
  return true
end
