--- @include "userState"

-- The token of an import of the past in the user's state, for a user without one in Redis; false if the state
-- has none of this import.
local function tokenInState(user, importNo)
  local mark = open(user).pastImport
  if mark == importNo then return { status = IMPORT_STATUS.done, done = 0, refused = {}, refusals = {} } end
  return type(mark) == 'table' and mark[PAST_TOKEN.import] == importNo and decode(mark[PAST_TOKEN.token])
end

local function newToken()
  return { done = 0, refused = {}, refusals = {}, keys = {}, lastDay = 0, due = DUE.never, sequence = 0 }
end
