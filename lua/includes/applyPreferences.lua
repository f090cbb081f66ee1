-- Sets the preferences that were passed, by name; the others stay. Who turns the streak off loses it. Answers whether anything
-- changed.
local function applyPreferences(user, passed, now)
  open(user)
  local preferences, changed = user.preferences or {}, false
  for name, value in pairs(passed) do
    -- Packed, because equal lists are two tables.
    if preferences[name] == nil or pack(value) ~= pack(preferences[name]) then
      preferences[name] = value
      changed = true
    end
  end
  if not changed then return false end
  openToChange(user)
  user.preferences, user.updated, user.stampDay = preferences, now, 0
  for base = 0, passed.streakEnabled == false and 2 * STREAK_VALUES or -1, STREAK_VALUES do
    if user.streak[base + 1] > 0 then lose(user.streak, base) end
  end
  return true
end
