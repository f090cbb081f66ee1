--- @include "anniversaryDay"
--- @include "userState"

local PROFILE_FIELDS = { PROFILE.names }

-- Replaces the passed attributes (flat list of ATTRIBUTE) in a copy, and keeps the earlier ones in
-- attributesBefore.
-- Returns whether any changed.
local function applyAttributes(user, passed)
  local attributes, changed = {}, false
  for no, value in pairs(user.attributes) do attributes[no] = value end
  for at = 0, #passed - 1, ATTRIBUTE.size do
    local no, value = passed[at + ATTRIBUTE.no], passed[at + ATTRIBUTE.value] or nil
    if attributes[no] ~= value then
      attributes[no] = value
      user.attributesBefore = user.attributes
      changed = true
    end
  end
  user.attributes = attributes
  return changed
end

-- Applies the passed fields: a value replaces, false clears, an absent field stays. The hash of the profile
-- is kept, so that the same profile is not decoded again.
-- Returns the outcome that refuses the change, or false: a user without an address cannot subscribe to
-- e-mails, and nobody has joined after the local day `today`. Whoever loses the address is unsubscribed, so a
-- later address gets no e-mails unasked. Returns also whether anything changed.
local function applyProfile(user, passed, hash, now, today)
  if not passed then return false, false end
  open(user)
  local email = passed.email
  if email == nil then email = user.email end
  if passed.subscribeToEmails and not email then return OUTCOME.noEmail end
  if passed.signUpDate and anniversaryDay(passed.signUpDate, 0) > today then return OUTCOME.futureSignUp end

  local changed, dateBefore = false, user.signUpDate
  if email == false and user.email and user.subscribeToEmails then
    user.subscribeToEmails = false
    changed = true
  end
  for i = 1, #PROFILE_FIELDS do
    local field = PROFILE_FIELDS[i]
    local value = passed[field]
    -- Lists of device tokens are compared in packed form.
    if value ~= nil and value ~= user[field] and encode(value) ~= encode(user[field]) then
      user[field] = value
      changed = true
    end
  end
  if passed.attributes and applyAttributes(user, passed.attributes) then changed = true end
  if user.signUpDate ~= dateBefore then user.hasNewSignUp = true end
  user.profileHash = hash
  if changed then
    user.updated = now
    user.fastPathDay = 0
    openToChange(user)
  end
  return false, changed
end
