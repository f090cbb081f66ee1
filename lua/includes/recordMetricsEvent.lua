--- @include "evaluate"
--- @include "eventCounts"
--- @include "rehearse"
--- @include "reportNone"
--- @include "usedKeys"
--- @include "userState"

-- A metrics event is an event for each of several metrics of one user. All of them count, or none does.

-- Returns the function that records the `count` events of a metrics event from `at` on, or reports why not.
-- It returns what recordEvent of recordEvents.lua does, whose variables and functions `script` has.
local function metricsRecorder(script)
  local context, user, events = script.context, script.user, script.events
  local out = context.out

  local function calendarOf(rules) return script.calendars[user.tz or rules.defaultZone] end

  local function reportOthers(count)
    for _ = 2, count do report(out, OUTCOME.unchanged) end
    return false
  end

  -- Answers a metrics event whose keys are used, or may be. Returns what the recorder does; nil if the keys
  -- are free.
  local function answerUsed(keys, fingerprints, rulesOfEvents, userId)
    local count, uses, taken = #rulesOfEvents, findUses(keys, fingerprints, user.hasFormerKeys)
    if not uses then
      script.reportUnknownKey(userId)
      return reportOthers(count)
    end
    if taken then
      reportNone(out, count, taken, { OUTCOME.keyTaken })
      return false
    end
    if #uses == 0 then return nil end
    local firstRules = unpack(rulesOfEvents)
    if not calendarOf(firstRules) then
      script.reportMissingZone(userId, user.tz or firstRules.defaultZone)
      return reportOthers(count)
    end
    for i, rules in ipairs(rulesOfEvents) do script.reportReplay(rules, calendarOf(rules), uses[i]) end
    return true
  end

  return function(at, count, userId)
    local rulesOfEvents, fingerprints = rulesFrom(events, at, count, script.rulesOf), {}
    for event = at, at + (count - 1) * EVENT.size, EVENT.size do
      fingerprints[#fingerprints + 1] = events[event + EVENT.fingerprint] or nil
    end
    local keys = #fingerprints > 0 and script.openKeys((unpack(rulesOfEvents)))
    local isLoaded = nil
    if keys then isLoaded = answerUsed(keys, fingerprints, rulesOfEvents, userId) end
    if isLoaded ~= nil then return isLoaded end

    local function evaluateNext(i, rules)
      return script.evaluateEvent(at + (i - 1) * EVENT.size, userId, rules, calendarOf(rules))
    end
    if mayRefuseLater(rulesOfEvents) then
      script.writeChanges()
      local refusedNo, refusal = rehearse(context, rulesOfEvents, evaluateNext)
      if refusedNo then
        reportNone(out, count, refusedNo, refusal)
        return false
      end
      if not readUser(user, context.prefix, userId) then
        resetUser(user, context.now, events[at + EVENT.control])
      end
    end
    for i, rules in ipairs(rulesOfEvents) do
      -- Only the first event can be refused here.
      if not evaluateNext(i, rules) then return reportOthers(count) end
    end
    for _, fingerprint in ipairs(fingerprints) do recordUse(keys, fingerprint) end
    return true
  end
end
