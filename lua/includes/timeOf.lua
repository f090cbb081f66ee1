-- What settling needs of the rules (ScriptTime). It is JSON until a change needs it.
local function timeOf(rules)
  if type(rules.time) == 'string' then rules.time = cjson.decode(rules.time) end
  return rules.time
end
