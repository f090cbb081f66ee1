-- Stands for every empty list and set. Never written to.
local NOTHING = {}
