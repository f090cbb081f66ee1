-- What the keys of a tenant's users in one shard start with. The shard is the hash tag: all tenants share its slot, its outbox and
-- its due set.
local function shardPrefix(tenant, shard)
  return '{' .. shard .. '}:' .. tenant .. ':'
end
