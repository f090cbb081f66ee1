-- The sources in lua/ as they are written, before src/redis/lua/luaLoader.ts inserts includes and constants.
std = 'lua51'
max_line_length = 110

-- Constants and layouts of src/redis/layouts, and the builders of keys.
local SHARED = [[
  ACHIEVEMENT_NOTICE ADDED AMEND AMENDMENT ASKED_RANK ATTRIBUTE AWARD BEGUN_RUN BOARD BOARD_CHANGE BOARD_ENTRY CALENDAR CHANGE
  CONDITION CORRECT CORRECTION COUNTER_ADDEND COUNTER_KEEPS COUNTER_PEAK COVERED COVERED_BY DAYS DETAIL DUE DUE_USER EARLIER_RANKING ENTRY ENTRY_FORMAT
  ERASED_USER EVENING EVENT FACT_KEY FORMER_GROUP FOUND_RANK FREQUENCY GIVEN_POINTS GUARD GUARD_STATE HOLDER HORIZON IMPORTED_CHANGE
  IMPORTED_COMPLETION IMPORTED_STREAK IMPORTED_TOTAL IMPORTED_USER IMPORT_DETAIL IMPORT_HOLD IMPORT_SILENCE
  IMPORT_STATUS KEEPING KEPT_CHANGE KEPT_HISTORY KEPT_MARKS KEPT_USER KEY KEY_BUCKET KEY_FILTER KEY_LEDGER KEY_SLICE KEY_USE
  LATE LATER LEAGUE_ENTRY LEAGUE_RUN LEAGUE_USER
  LEDGER_EDIT LEFT_RANKING MARK MARK_PAST METRICS_EVENT MORNING NOTICE NOTICE_KIND OUTCOME PAST_CALENDAR PAST_INSTANT PAST_KEY PAST_REPLY
  PAST_SCORE PAST_TOKEN PAST_USER PAUSE PENDING PENDING_ENTRY PERIOD_ROW PLACED_RANK PLACED_USER PROFILE PROGRESS PUBLISHED
  RANKED RANK_BY RANK_FLOOR READ_USER RECAP RECENT_PERIODS REFUSED REMINDER REPAIR REPAIRED REPLAYED RETIRED_KEYS REWARD REWARDED ROUNDING RUN
  SCORED SEAT SETTLED SETTLED_AT SETTLE_REPLY SETTLING STORED_PARTS STORED_USER STREAK STREAK_MODE STREAM_ENTRY
  SYSTEM TENANT_KEY TICKET TRIGGER UNDO USER_CHANGE USER_COLD USER_HOT USER_PART VALUE_TYPE WINDOW
]]

read_globals = { 'redis', 'KEYS', 'ARGV', 'cjson', 'cmsgpack', 'struct' }
local function allow(name) read_globals[#read_globals + 1] = name end
-- Locals that the loader puts before every script.
for name in ('call encode decode floor format'):gmatch('%w+') do allow(name) end
for name in SHARED:gmatch('[%w_]+') do allow(name) end


-- Functions of includes, which other files use. test/structure/luaLoader.test.ts reports those that a file does not include.
ignore = {}
for _, name in ipairs({ 'NOTHING', 'NO_ROW' }) do
  allow(name)
  ignore[#ignore + 1] = '211/' .. name
end
for name in io.popen('cat lua/includes/*.lua'):read('*a'):gmatch('local function (%w+)') do
  allow(name)
  ignore[#ignore + 1] = '211/' .. name
end
