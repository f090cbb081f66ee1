local flat, attributes

-- The attributes of an event by number. They are read once for all counters.
local function attributesOf(change)
  if attributes and change.attributes == flat then return attributes end
  flat, attributes = change.attributes, {}
  if flat then
    for at = 0, #flat - 1, ATTRIBUTE.size do
      attributes[flat[at + ATTRIBUTE.no]] = flat[at + ATTRIBUTE.value]
    end
  end
  return attributes
end
