--- @include "userState"

-- Groups that a user has left on leaderboards with breakdown attributes. An event of the past counts in the
-- group that the user had in its run (lateRanks.lua).

-- A run is final less than three days after its end, so nobody asks for groups of earlier runs.
local FORMER_GROUP_DAYS = 3

-- Keeps the group (nil without one) that the user had before the run `run`, in which the user leaves it.
-- Later moves in this run do not change it.
local function keepFormerGroup(user, no, run, group, day)
  local kept = {}
  for at = 0, #(user.formerGroups or {}) - 1, FORMER_GROUP.size do
    local board, before = user.formerGroups[at + FORMER_GROUP.board], user.formerGroups[at + FORMER_GROUP.run]
    if board == no and before == run then return end
    if before > day - FORMER_GROUP_DAYS then
      for i = 1, FORMER_GROUP.size do kept[#kept + 1] = user.formerGroups[at + i] end
    end
  end
  local n = #kept
  kept[n + FORMER_GROUP.board], kept[n + FORMER_GROUP.run] = no, run
  kept[n + FORMER_GROUP.group] = group or false
  openToChange(user).formerGroups = kept
end

-- Returns the user's group in a run before the present one, nil without one. `group`: the present group.
local function groupInRun(user, no, run, group)
  local earliest
  local groups = open(user).formerGroups or {}
  for at = 0, #groups - 1, FORMER_GROUP.size do
    local before = groups[at + FORMER_GROUP.run]
    if groups[at + FORMER_GROUP.board] == no and before > run and not (earliest and earliest < before) then
      earliest, group = before, groups[at + FORMER_GROUP.group] or nil
    end
  end
  return group
end
