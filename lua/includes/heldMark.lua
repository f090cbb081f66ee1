-- Returns the fingerprint that says that the event of a key is held: that of the key with the other sign. The
-- key itself stays free until the event is recorded.
local function heldMark(fingerprint)
  if string.sub(fingerprint, 1, 1) == '-' then return string.sub(fingerprint, 2) end
  return '-' .. fingerprint
end
