local PROFILE_FIELDS = { 'name', 'email', 'subscribeToEmails', 'deviceTokens' }

-- Applies the fields that were passed: a value replaces, false clears, an absent one stays. The hash of what was passed is
-- kept, so that the same profile is not even opened the next time.
-- Answers whether that is allowed (e-mails cannot be subscribed to without an address), and whether anything changed.
local function applyProfile(user, passed, hash, now)
  if not passed then return true, false end
  open(user)
  local email = passed.email
  if email == nil then email = user.email end
  if passed.subscribeToEmails and not email then return false end

  local changed = false
  for i = 1, #PROFILE_FIELDS do
    local field = PROFILE_FIELDS[i]
    local value = passed[field]
    -- Packed, because equal lists of device tokens are two tables.
    if value ~= nil and value ~= user[field] and pack(value) ~= pack(user[field]) then
      user[field] = value
      changed = true
    end
  end
  if passed.tz ~= nil and passed.tz ~= user.tz then
    user.tz = passed.tz
    changed = true
  end
  local pairsPassed = passed.attributes
  if pairsPassed then
    local attributes = {}
    for no, value in pairs(user.attributes) do attributes[no] = value end
    for i = 1, #pairsPassed, 2 do
      local no, value = pairsPassed[i], pairsPassed[i + 1] or nil
      if attributes[no] ~= value then
        attributes[no] = value
        user.attributesBefore = user.attributes
        changed = true
      end
    end
    user.attributes = attributes
  end
  user.profileHash = hash
  if changed then
    user.updated = now
    user.stampDay = 0
    openToChange(user)
  end
  return true, changed
end
