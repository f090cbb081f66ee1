--- @include "findEntry"
--- @include "userState"

-- A blocked user has an entry BOARD.blocked. The run of the entry is the instant (seconds since 1970) at
-- which the block ends, or DUE.never. The stored `due` of a blocked user is negative: recordEvents compares
-- `due` with the present instant for every user, and so finds a block without further work. In the other
-- scripts, `due` is positive between readBlock and writeBlock.

-- Returns the instant at which the block of the user ends; false without a block.
local function endOfBlock(user)
  local boards = user.boards
  local entry = findEntry(boards, BOARD.blocked)
  return boards[entry + BOARD_ENTRY.run] or false
end

-- Makes `due` of a blocked user positive.
local function readBlock(user)
  if user.due >= 0 then return end
  user.due, user.dueBefore = -user.due, -user.due
end

-- Makes a blocked user due at the end of the block at the latest.
local function scheduleBlock(user)
  local till = endOfBlock(user)
  if till then user.due = math.min(user.due, till) end
end

-- Writes a changed `due` of a blocked user to the due set, and makes it negative for the state.
local function writeBlock(context, user)
  if not endOfBlock(user) then return end
  if user.due ~= user.dueBefore then writeDue(context.dueKey, context.tenant, context.userId, user.due) end
  user.due, user.dueBefore = -user.due, -user.due
end
