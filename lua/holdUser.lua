--[[
Holds a user who is getting another id: until lua/releaseUser.lua, all changes of the user wait. A repetition
changes nothing.

KEYS[1]  due users of the cell
KEYS[2]  prefix of the tenant's keys, never a key itself; the script builds the other keys from it
ARGV[1]  number of the tenant
ARGV[2]  id of the user

Reply    { hot part, cold part of the user's state }; nil for an unknown user
]]
--- @include "userState"

local user = {}
if not readUser(user, KEYS[2], ARGV[2]) then return nil end
if user.due ~= -DUE.renamed then
  user.due = -DUE.renamed
  writeDue(KEYS[1], ARGV[1], ARGV[2], DUE.never)
  call('HSET', user.key, USER_PART.hot, encode(user[USER_HOT.all]))
end
return call('HMGET', user.key, USER_PART.hot, USER_PART.cold)
