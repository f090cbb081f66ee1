-- True when a shard that the changes touch has newer rules published than those the changes were prepared with, or none at
-- all: then Redis has lost what it knew and must not be written to until it has been restored.
-- The shard is the first of the `stride` values of each change.
local function isStale(tenant, version, changes, stride)
  local checked = {}
  for at = 1, #changes, stride do
    local shard = changes[at]
    if not checked[shard] then
      checked[shard] = true
      local published = call('GET', shardPrefix(tenant, shard) .. 'version')
      if not published or tonumber(published) > version then return true end
    end
  end
  return false
end
