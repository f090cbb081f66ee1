-- Whether the tenant has newer rules than those of the changes, or none. Without rules, Redis has lost its
-- data and must not be written to before it is restored.
local function isStale(prefix, version)
  local published = call('GET', prefix .. TENANT_KEY.version())
  return not published or tonumber(published) > version
end
