-- Whether the tenant has newer rules than those of the changes, or none. Without rules, Redis has lost its
-- data and must not be written to before it is restored.
-- If the tenant is spread over cells, a new version comes to one of them after the other. Once a change has
-- been made by the newer rules, the cell takes no change by older ones.
local function isStale(prefix, version, isSpread)
  local key = prefix .. TENANT_KEY.version()
  local published = call('GET', key)
  if not published or tonumber(published) > version then return true end
  if isSpread and tonumber(published) < version then call('SET', key, version) end
  return false
end
