--- @include "findEntry"
--- @include "userState"

-- A user whom an administrator has blocked has an entry BOARD.blocked, whose run is the instant (seconds
-- since 1970) at which the block ends, or DUE.never. The stored `due` of such a user is negative, so that
-- recordEvents finds the block by the comparison that it makes for any user. In the other scripts, `due` is
-- positive between readBlock and writeBlock.

-- Returns the instant at which the user's block ends; false without a block.
local function endOfBlock(user)
  local boards = user.boards
  local entry = findEntry(boards, BOARD.blocked)
  return boards[entry + BOARD_ENTRY.run] or false
end

local function readBlock(user)
  if user.due >= 0 then return end
  user.due, user.dueBefore = -user.due, -user.due
end

-- Makes a blocked user due when the block ends.
local function scheduleBlock(user)
  local till = endOfBlock(user)
  if till then user.due = math.min(user.due, till) end
end

local function writeBlock(context, user)
  if not endOfBlock(user) then return end
  if user.due ~= user.dueBefore then writeDue(context.dueKey, context.tenant, context.userId, user.due) end
  user.due, user.dueBefore = -user.due, -user.due
end
