-- True if a shard of these changes has newer rules than those the changes were prepared with. Also true if it has none: then
-- Redis has lost its data and must not be written to before it is restored.
-- The shard is the first of the `size` values of each change.
local function isStale(tenant, version, changes, size)
  local checked = {}
  for at = 1, #changes, size do
    local shard = changes[at]
    if not checked[shard] then
      checked[shard] = true
      local published = call('GET', KEY.version(tenant, shard))
      if not published or tonumber(published) > version then return true end
    end
  end
  return false
end
