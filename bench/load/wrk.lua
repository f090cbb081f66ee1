--[[
Sends prepared requests one after the other for a given time, and then waits for the answers that are missing.

Arguments  file of requests, seconds, prefix of idempotency keys or ""
Environment  BENCH_SERVERS: host:port of each server, separated by spaces; one thread sends to each
]]
local ffi = require('ffi')
ffi.cdef [[
  typedef struct { long seconds; long nanoseconds; } bench_time;
  int clock_gettime(int clock, bench_time *time);
]]
local MONOTONIC = 1
local time = ffi.new('bench_time')

local function now()
  ffi.C.clock_gettime(MONOTONIC, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local threads, servers = {}, {}
for host, port in os.getenv('BENCH_SERVERS'):gmatch('([^ :]+):(%d+)') do
  servers[#servers + 1] = { host = host, port = port }
end

function setup(thread)
  threads[#threads + 1] = thread
  local server = servers[#threads]
  thread.addr = wrk.lookup(server.host, server.port)[1]
  -- wrk asks the first thread for a request that it does not send.
  thread:set('isAsked', #threads ~= 1)
end

local methods, paths, bodies = {}, {}, {}
local length, keyPrefix, deadline

function init(args)
  for line in io.lines(args[1]) do
    local method, path, body = line:match('^(%u+) (%S+) ?(.*)$')
    local i = #methods + 1
    methods[i], paths[i] = method, path
    if body ~= '' then bodies[i] = body end
  end
  length, keyPrefix = tonumber(args[2]), args[3] or ''
  sent = 0
end

function request()
  if not isAsked then
    isAsked = true
    return wrk.format('GET', '/')
  end
  local time = now()
  deadline = deadline or time + length
  -- A connection that sends nothing gets no answer and stays silent.
  if time >= deadline then return '' end
  sent = sent + 1
  if keyPrefix ~= '' then wrk.headers['Idempotency-Key'] = keyPrefix .. sent end
  local i = (sent - 1) % #methods + 1
  return wrk.format(methods[i], paths[i], wrk.headers, bodies[i])
end

function done(summary, latency)
  local counts = {}
  for i, thread in ipairs(threads) do counts[i] = thread:get('sent') end
  local errors = summary.errors
  io.write(string.format('RESULT {"sent":[%s],"answered":%d,"mean_us":%f,"p50_us":%d,"p99_us":%d,"badStatus":%d,"failed":%d}\n',
    table.concat(counts, ','), summary.requests, latency.mean, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
