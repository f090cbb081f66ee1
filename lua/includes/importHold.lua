--- @include "blockUser"

-- While the past of a user is imported by several calls of importEvents, the user is held: other changes
-- wait until the last call. The stored `due` is negative, as for a block, and is the instant (seconds since
-- 1970) at which the hold ends. Each call sets it anew. A hold that runs out, because no worker goes on,
-- makes the user due: then the user is settled and changes again.
-- A user who is getting another id (holdUser.lua) is held likewise, blocked or not, until that is done.

-- Returns the instant at which the hold of the user ends; false without a hold. Call it before readBlock.
local function endOfHold(user)
  local isHeld = user.due < 0 and (user.due == -DUE.renamed or not endOfBlock(user))
  return isHeld and -user.due
end

-- Holds the user from now on (seconds since 1970). writeUser must follow.
local function hold(context, user, seconds)
  local till = seconds + IMPORT_HOLD.seconds
  writeDue(context.dueKey, context.tenant, context.userId, till)
  user.due, user.dueBefore = -till, -till
end

-- Returns the outcome of a call that finds the user due (dueOf), and the instant of the end (seconds).
local function whyDue(user, due, seconds)
  local till = -due > seconds and due ~= -DUE.renamed and endOfBlock(user)
  if till then return OUTCOME.blocked, till end
  return OUTCOME.due, math.abs(due)
end
