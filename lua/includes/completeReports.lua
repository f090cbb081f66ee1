--- @include "rankingOrder"
--- @include "truncate"

local function sizeOfPlace(out, start)
  return out[start + BOARD_CHANGE.board] < 0 and BOARD_CHANGE.size or BOARD_CHANGE.group - 1
end

-- Moves the notes of keptHistory with the reports that they are about.
local function moveNotes(notes, out, starts)
  for i = #starts, 1, -1 do
    local start, size = starts[i], sizeOfPlace(out, starts[i])
    for _, note in ipairs(notes) do
      if note.systemsAt > start then
        note.systemsAt, note.placesAt = note.systemsAt - size, note.placesAt - size
      end
    end
  end
end

-- Removes the BOARD_CHANGE behind each of these indexes, which rise.
local function removeReports(out, starts, notes)
  if notes then moveNotes(notes, out, starts) end
  local length, kept, behind = #out, nil, nil
  local function keepUntil(last)
    for i = behind + 1, last do
      kept = kept + 1
      out[kept] = out[i]
    end
  end
  for _, start in ipairs(starts) do
    if kept then keepUntil(start) else kept = start end
    behind = start + sizeOfPlace(out, start)
  end
  keepUntil(length)
  truncate(out, kept)
end

-- Completes the reports of completeLater. Returns the indexes of those without a rank before and after.
local function completeReports(out, later)
  local empty = {}
  for at = 0, #later - 1, LATER.size do
    local n, countAt = later[at + LATER.report], later[at + LATER.countAt]
    local left, to, move = later[at + LATER.left], later[at + LATER.to], later[at + LATER.move]
    if left then out[n + BOARD_CHANGE.previousRank] = later[at + LATER.from].ranks[left] end
    if to then out[n + BOARD_CHANGE.threshold] = thresholdOf(to) end
    if move then out[n + BOARD_CHANGE.rank] = to.ranks[move] end
    if not out[n + BOARD_CHANGE.rank] and not out[n + BOARD_CHANGE.previousRank] then
      empty[#empty + 1] = n
      out[countAt] = out[countAt] - 1
    end
  end
  return empty
end
