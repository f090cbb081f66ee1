-- Whether a user without a state is being erased, or may have been erased since `erasures` were counted in
-- the cell. So nothing that was read before brings the user back.
local function hasErased(prefix, userId, erasures)
  return call('SISMEMBER', prefix .. TENANT_KEY.erasing(), userId) == 1
    or (call('GET', prefix .. TENANT_KEY.erasures()) or '0') ~= erasures
end
