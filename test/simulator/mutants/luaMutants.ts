import type { Mutant } from './mutant.ts';

const inFile =
  (name: string) =>
  (rule: string, from: string, to: string): Mutant => ({ file: `lua/includes/${name}.lua`, rule, from, to });

const settling = inFile('settleStreaks');
const extending = inFile('extendStreak');
const scheduling = inFile('schedule');
const points = inFile('awardPoints');
const counting = inFile('countEvent');
const naming = inFile('countNamed');
const computing = inFile('computeAddend');
const achieving = inFile('completeAchievements');
const guarding = inFile('guardEvent');
const ranking = inFile('rankUser');
const moving = inFile('rankMoves');
const ordering = inFile('rankingOrder');
const leagues = inFile('leagues');
const profile = inFile('applyProfile');
const correcting = inFile('correctUser');
const amending = inFile('amendStreak');
const hiding = inFile('hideUser');

/** Mistakes that a person would make in the scripts. */
export const LUA_MUTANTS: readonly Mutant[] = [
  settling('a streak ends an instant late', 'calendar, f) <= seconds do', 'calendar, f) < seconds do'),
  settling('a used freeze stays', 'user.freezes = user.freezes - 1', 'user.freezes = user.freezes'),
  settling(
    'a freeze comes before a pause',
    'if isPaused(user, f, missed) then',
    'if user.freezes == 0 and isPaused(user, f, missed) then',
  ),
  settling(
    'days off cost a freeze',
    'elseif isInForce and isDayOff(daysOffOf(user, rules.streak), missed) then',
    'elseif false then',
  ),
  settling(
    'the first day of a lost streak is forgotten',
    'streak[base + STREAK.lostFirstDay] = streak[base + STREAK.firstDay]',
    '',
  ),
  settling(
    'a pause counts from its second day',
    'if pauses[at + PAUSE.firstDay] <= last and',
    'if pauses[at + PAUSE.firstDay] < last and',
  ),
  settling(
    'a streak that is off has a length',
    'rules.streak.enabled and streak[base + STREAK.length] or 0',
    'streak[base + STREAK.length]',
  ),
  settling('a former frequency has no periods', 'forgetPeriods(user, calendar, f)', ''),
  extending(
    'a streak does not remember its first day',
    'streak[base + STREAK.firstDay] = calendar.periods[FREQUENCY.daily]',
    '',
  ),
  extending('a threshold must be exceeded', '>= condition.threshold then', '> condition.threshold then'),
  extending('the sums of a period are kept', 'progress[PROGRESS.period] ~= period then', 'false then'),
  extending('all conditions where any is enough', 'or (any and met > 0)', ''),
  extending('an extension that is no news', 'streak[base + STREAK.extendedAt] = now', ''),
  extending('a streak that is off goes on', 'preferences.streakEnabled ~= false', 'true'),
  scheduling(
    'freezes are earned beyond the maximum',
    'math.min(room, times * freezes.amount)',
    'times * freezes.amount',
  ),
  scheduling(
    'freezes beyond the maximum are earned later',
    'user.freezeDay + times * freezes.every',
    'user.freezeDay + freezes.every',
  ),
  scheduling('new users have too many freezes', 'math.min(freezes.initial, freezes.max)', 'freezes.initial'),
  scheduling(
    'hourly triggers skip the first hour',
    '/ timer.every) + 1) * timer.every end',
    '/ timer.every) + 2) * timer.every end',
  ),
  scheduling(
    'daily triggers fire again',
    'if time.daily and open(user).settledDay < day then',
    'if false then',
  ),
  points('boosts end a day late', 'day <= boost.to)', 'day <= boost.to + 1)'),
  points('boosts begin a day late', 'if day >= boost.from and', 'if day > boost.from and'),
  points('boosts for one user are for all', 'and (not boost.user or boost.user == userId)', ''),
  points(
    'products are rounded up',
    'rounding == ROUNDING.down and floor(exact) or math.ceil(exact)',
    'math.ceil(exact)',
  ),
  points(
    'a maximum takes points away',
    'target = math.max(system.max, math.min(total, target))',
    'target = system.max',
  ),
  points('a total may fall below 0', 'target = 0\n', 'target = target\n'),
  points('a purchase that cannot be paid', 'if trigger.block then return no end', ''),
  points(
    'points for peaks are given again',
    'floor(result.peaksBefore[trigger.of] / trigger.threshold)',
    'floor((after - result.value) / trigger.threshold)',
  ),
  points(
    'filters of triggers are ignored',
    'if times > 0 and (not trigger.users or matchesUser(trigger.users, user)) then',
    'if times > 0 then',
  ),
  points('a purchase after a fall costs nothing', 'if trigger.points < 0 then', 'if false then'),
  counting('sums of decimals', 'if total % 1 ~= 0 then total = decimalSum(old, addend) end', ''),
  counting('peaks follow the counter down', 'if total < peak then', 'if false then'),
  naming(
    'an event keeps the counters that the one before named',
    'if result.named or result.namedAdds then forgetNamed(after, result.named, result.namedAdds) end',
    '',
  ),
  achieving(
    'revoked prerequisites count',
    'if at and at >= 0 then missing = missing - 1 end',
    'if at then missing = missing - 1 end',
  ),
  achieving('all prerequisites but one are enough', 'return missing <= 0', 'return missing <= 1'),
  computing('weeks begin a day late', '(day + 4) % 7', '(day + 3) % 7'),
  computing('a value must exceed the least one', 'value >= to.gte', 'value > to.gte'),
  computing(
    'a condition and its opposite hold',
    'return not isHolding(condition.none,',
    'return isHolding(condition.none,',
  ),
  computing(
    'no condition holds for a missing user attribute',
    'return condition.ifMissing == true',
    'return false',
  ),
  inFile('typedText')(
    'numbers of users are compared as texts',
    'if valueType == VALUE_TYPE.number then return numberOf(text) end',
    '',
  ),
  computing(
    'an event adds its value although events are counted',
    'return counter.adds or value',
    'return value',
  ),
  points(
    'a purchase follows the value of the event',
    'result.addends and result.addends[trigger.of] or result.value',
    'result.value',
  ),
  achieving('a total must be exceeded', 'if peak and peak >= value and', 'if peak and peak > value and'),
  achieving(
    'a length must be exceeded',
    'if result.streakLength >= rule.length and',
    'if result.streakLength > rule.length and',
  ),
  achieving(
    'anniversaries come a day late',
    'anniversaryDay(date, rule.years) <= result.day',
    'anniversaryDay(date, rule.years) < result.day',
  ),
  achieving(
    'revoked achievements come back',
    'if not achievements[rule.no] and hasEnough',
    'if (achievements[rule.no] or 0) <= 0 and hasEnough',
  ),
  guarding(
    'the greatest value is refused',
    'if guards.max and value > guards.max then',
    'if guards.max and value >= guards.max then',
  ),
  guarding(
    'a cooldown ends late',
    'if now < allowedAt then return false, GUARD.cooldownSeconds',
    'if now <= allowedAt then return false, GUARD.cooldownSeconds',
  ),
  guarding(
    'a limit of events is one too high',
    'if dayEventsMax and dayEvents >= dayEventsMax then',
    'if dayEventsMax and dayEvents > dayEventsMax then',
  ),
  guarding(
    'a day begins anew by travelling',
    'if before and before >= day then',
    'if before and before == day then',
  ),
  ranking('a run goes back', 'and currentRun and (not run or run < currentRun) then', 'and currentRun then'),
  ranking(
    'a score without a rank ranks',
    'if score <= 0 and score <= leastScore(rule) then to = false end',
    '',
  ),
  ranking('hidden users return by an event', 'if hides == nil then return false end', ''),
  moving('a group that was left keeps its rank', 'removed[#removed + 1] = member', ''),
  moving(
    'one more place than there are',
    'rank = rank and rank < max and rank + 1',
    'rank = rank and rank <= max and rank + 1',
  ),
  ordering('shared ranks count equal users', "format('(%.17g', score)", "format('%.17g', score)"),
  ordering(
    'a full leaderboard shows no threshold',
    'if ranking.written < ranking.max then return 0 end',
    'if ranking.written <= ranking.max then return 0 end',
  ),
  ordering('lower values are worse', 'return order.sign * value + 0', 'return value + 0'),
  inFile('ranking')(
    'ties are reversed',
    'TICKET.max - context.firstArrival - context.index',
    'context.firstArrival + context.index',
  ),
  inFile('inWindow')(
    'a window closes late',
    'return second >= from and second < to end',
    'return second >= from and second <= to + 3600 end',
  ),
  inFile('scoreAfter')('the latest value is the best', 'if isLatest then return score end\n  end', 'end'),
  leagues('one too few is promoted', 'elseif rank <= rules.promote then', 'elseif rank < rules.promote then'),
  leagues(
    'one too many is demoted',
    'elseif rank > size - rules.demote then',
    'elseif rank >= size - rules.demote then',
  ),
  leagues('idle users stay', 'if settings.demotesIdle and position > 1 then', 'if false then'),
  leagues(
    'groups have one member more',
    '/ settingsIn(league, run).size) + 1)',
    '/ (settingsIn(league, run).size + 1)) + 1)',
  ),
  profile(
    'attributes that are cleared stay',
    'passed[at + ATTRIBUTE.value] or nil',
    'passed[at + ATTRIBUTE.value] or user.attributes[no]',
  ),
  profile(
    'whoever has no address stays subscribed',
    'user.subscribeToEmails = false',
    'user.subscribeToEmails = true',
  ),
  profile('a profile does not change its instant', 'user.updated = now', ''),
  correcting(
    'only the first run is rewarded',
    '(rewarded[at + REWARDED.run] or run - 1) >= run',
    'rewarded[at + REWARDED.run]',
  ),
  correcting('a block never ends', 'local till = correction[CORRECTION.amount]', 'local till = DUE.never'),
  amending('a freeze too many', 'if user.freezes >= max then', 'if user.freezes > max then'),
  amending(
    'a restored streak is over at once',
    'streak[base + STREAK.lastPeriod], streak[base + STREAK.slack] = before, 0',
    '',
  ),
  amending(
    'a lost streak is restored twice',
    'streak[base + STREAK.lostLength], streak[base + STREAK.lostFirstDay] = 0, 0',
    '',
  ),
  hiding(
    'whoever returns from a block is shown where hidden',
    'and ticket ~= TICKET.hidden then rule.hides',
    'then rule.hides',
  ),
  hiding(
    'hidden users stay in earlier runs',
    'local left = rule.hides and not rule.league and places[rule.no]',
    'local left = false',
  ),
  inFile('formerPlaces')(
    'earlier runs forget their users in a restore',
    'if group and ticket and #ticket == TICKET.size then',
    'if false then',
  ),
  inFile('idempotency')(
    'a key is used again',
    "if call('SISMEMBER', bucketOf(slice, position), fingerprint) == 1 then",
    'if false then',
  ),
  inFile('daysOff')('the week begins on Monday', '((day + 4) % 7)', '((day + 3) % 7)'),
  inFile('periodEnds')('travellers lose time', '+ streak[base + STREAK.slack]', ''),
];
