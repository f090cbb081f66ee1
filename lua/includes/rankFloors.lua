-- Returns the floors of rankings (RANK_FLOOR), by key.
local function readFloors(prefix, packed)
  local flat, floors = decode(packed), {}
  for at = 0, #flat - 1, RANK_FLOOR.size do
    local no, run, group = flat[at + RANK_FLOOR.board], flat[at + RANK_FLOOR.run], flat[at + RANK_FLOOR.group]
    floors[prefix .. TENANT_KEY.board(no, run, group)] = flat[at + RANK_FLOOR.floor]
  end
  return floors
end
