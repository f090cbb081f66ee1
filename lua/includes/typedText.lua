--- @include "firstDayOfMonth"

-- What texts of each type are compared as, nil if they are none of the type, as readTyped of
-- src/rules/conditions/typedValues.ts does it: booleans and dates as their text. Attributes may be older than
-- the type of their values.

local function numberOf(text)
  local whole, rest = text:match('^%-?(%d+)(.*)$')
  if not whole or whole:find('^0%d') then return nil end
  rest = rest:gsub('^%.%d+', '')
  if rest ~= '' and not rest:find('^[eE][+-]?%d%d?$') then return nil end
  local number = tonumber(text)
  if math.abs(number) <= VALUE_TYPE.numberMax then return number end
end

local function dateOf(text)
  local year, month, day = text:match('^(%d%d%d%d)%-(%d%d)%-(%d%d)$')
  month, day = tonumber(month), tonumber(day)
  if not year or month < 1 or month > 12 or day < 1 then return nil end
  local first = (year - 1970) * 12 + month - 1
  if day <= firstDayOfMonth(first + 1) - firstDayOfMonth(first) then return text end
end

local BOOLEANS = { ['true'] = true, ['false'] = true }

local function typedText(valueType, text)
  if not text then return nil end
  if valueType == VALUE_TYPE.number then return numberOf(text) end
  if valueType == VALUE_TYPE.date then return dateOf(text) end
  if valueType == VALUE_TYPE.boolean and not BOOLEANS[text] then return nil end
  return text
end
