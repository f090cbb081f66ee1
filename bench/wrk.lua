-- Sends the prepared bodies one after the other. Arguments: file of bodies, API key, prefix of idempotency keys or "".
local bodies, at = {}, 0
local headers = { ['Content-Type'] = 'application/json' }
local keyPrefix

function init(args)
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  headers['X-API-KEY'] = args[2]
  keyPrefix = args[3] or ''
end

function request()
  at = at + 1
  if keyPrefix ~= '' then headers['Idempotency-Key'] = keyPrefix .. at end
  return wrk.format('POST', nil, headers, bodies[(at - 1) % #bodies + 1])
end

function done(summary, latency)
  io.write(string.format('RESULT %d %d %d %d %d %d\n', summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
