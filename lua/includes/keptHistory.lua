--- @include "userState"

-- The history that Redis keeps of a user whom somebody reads: a list of a header, which servers write
-- (src/redis/decoding/keptHistory.ts), and of the changes since (KEPT_CHANGE). `keepsHistory` of a user says
-- that the list may exist. A script that changes a user without adding the change leaves a gap in the
-- sequence numbers. Servers do not use such a list, and write a new one when they read the user again. So
-- only frequent changes are added.

-- Notes the change of a user that `evaluate` has just reported. eventId: false if no event caused it.
local function noteChange(context, user, eventId)
  local notes, result = context.notes or {}, context.result
  context.notes = notes
  notes[#notes + 1] = {
    userId = context.userId, sequence = user.sequence, at = context.now, day = result.day, eventId = eventId,
    metric = eventId and result.rules.metric, value = eventId and result.value, systemsAt = context.systemsAt,
    placesAt = context.boardCountAt,
  }
end

-- Returns the index of the last of the places whose number is at `at`.
local function endOfPlaces(out, at)
  local n = at
  for _ = 1, out[at] do
    n = n + (out[n + BOARD_CHANGE.board] < 0 and BOARD_CHANGE.size or BOARD_CHANGE.group - 1)
  end
  return n
end

local function stopKeeping(prefix, userId, key)
  local user = {}
  call('DEL', key)
  if not readUser(user, prefix, userId) or not user.keepsHistory then return end
  user.keepsHistory = false
  call('HSET', user.key, USER_PART.hot, encode(user[USER_HOT.all]))
end

-- Adds the noted changes once all moves on rankings are finished. entryId: of the outbox entry.
local function keepNotes(context, entryId)
  local out, prefix, notes = context.out, context.prefix, context.notes or {}
  for i = 1, #notes do
    local note = notes[i]
    local userId = note.userId
    local key = prefix .. TENANT_KEY.history(userId)
    local ofEntry = not note.eventId and entryId or false
    -- Values one after the other: to make a list of them costs a quarter of all that this function does.
    local change = encode(note.sequence, note.at, note.day, note.eventId, ofEntry, note.metric,
      note.value, unpack(out, note.systemsAt, endOfPlaces(out, note.placesAt)))
    local length = call('RPUSHX', key, change)
    if length == 0 or length > KEPT_HISTORY.lengthMax then stopKeeping(prefix, userId, key) end
  end
end
