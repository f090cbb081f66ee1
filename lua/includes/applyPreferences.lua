-- Sets the preferences that were passed, by name; the others stay. Answers whether anything changed.
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
  if changed then
    openToChange(user)
    user.preferences, user.updated = preferences, now
  end
  return changed
end
