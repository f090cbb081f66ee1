-- Returns the rules that settling needs (ScriptTime). They are JSON until a change needs them.
local function timeOf(rules)
  if type(rules.time) == 'string' then rules.time = cjson.decode(rules.time) end
  return rules.time
end
