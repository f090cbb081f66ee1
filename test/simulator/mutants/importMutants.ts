import type { Mutant } from './mutant.ts';

const inFile =
  (file: string, frequent: Mutant['frequent'] = 'importUser') =>
  (rule: string, from: string, to: string): Mutant => ({ file, rule, from, to, frequent });

const setting = inFile('lua/includes/importValues.lua');
const importing = inFile('lua/importUsers.lua');
const past = inFile('lua/importEvents.lua', 'import');
const reading = inFile('src/engine/imports/userValues.ts');
const ordering = inFile('src/engine/imports/histories.ts', 'import');
const relaying = inFile('workers/relay/importedHistory.ts');

/** Mistakes that a person would make in imports of users and events. */
export const IMPORT_MUTANTS: readonly Mutant[] = [
  setting(
    'a total is added to that of an earlier file',
    'local change = adds and value or decimalSum(value, -before)',
    'local change = value',
  ),
  setting(
    'users with events after an import are imported again',
    'if known[no] ~= total then return true end',
    'if not known[no] then return true end',
  ),
  setting(
    'an imported achievement comes back although it was revoked',
    'if not achievements[no] then',
    'if (achievements[no] or 0) <= 0 then',
  ),
  setting(
    'imported achievements do not count in statistics',
    "call('HINCRBY', prefix .. TENANT_KEY.stats(), TENANT_KEY.completions(no), '1')",
    '',
  ),
  setting(
    'a streak that is off is imported',
    'if user.preferences and user.preferences.streakEnabled == false then return false end',
    '',
  ),
  setting('the last period of an imported streak is unknown', 'addPeriod(user, lastPeriod, length, 0)', ''),
  setting(
    'the history begins with all periods of an imported streak',
    'user.frequency, user.recordedFrom = f, lastPeriod',
    'user.frequency, user.recordedFrom = f, lastPeriod - length + 1',
  ),
  setting(
    'freezes are not earned after an import',
    'if user.freezeDay == 0 then user.freezeDay = calendar.periods[FREQUENCY.daily] end',
    '',
  ),
  setting(
    'the same file gives used freezes back',
    'if user.imported.freezes == freezes then return false end',
    'if user.freezes == freezes then return false end',
  ),
  setting(
    'periods of a replaced streak stay',
    'setSlot(user, periods[at + PERIOD_ROW.period], NO_ROW, false)',
    '',
  ),
  setting('freezes that kept a replaced streak stay used', 'used = used + 1', 'used = used'),
  setting(
    'a replaced streak can be restored',
    'own[base + STREAK.lostLength], own[base + STREAK.lostFirstDay] = 0, 0',
    '',
  ),
  inFile('workers/relay/repaired.ts')(
    'the history keeps the periods of a replaced streak',
    'periods, losses, earned: [],',
    'periods: [], losses, earned: [],',
  ),
  inFile('workers/relay/repaired.ts')(
    'the longest streak stays that of the first row',
    'longest: { length, sequence } };',
    'longest: null };',
  ),
  importing(
    'the instant of the creation elsewhere is lost',
    'asked[at + IMPORTED_USER.created] or now',
    'now',
  ),
  importing(
    'new users who are not visible rank',
    'setReason(user.boards, BOARD.optedOut, true, DUE.never)',
    '',
  ),
  importing('kept days are not known at once', 'addCovered(user, settled)', ''),
  importing(
    'new users have the freezes of the rules instead of those of the row',
    'user.freezes = freezes\n',
    '',
  ),
  importing(
    'the day of a streak is that of the zone in which the user is believed to be',
    'if streak and streak[IMPORTED_STREAK.zone] ~= calendar.zone then',
    'if false then',
  ),
  importing(
    'the last day of a streak may be in the future',
    'if streak and streak[IMPORTED_STREAK.lastDay] > today then',
    'if false then',
  ),
  reading(
    'the instant of an achievement is that of the import',
    'return { achievement: no, completedAt: pastInstant(column, given, now) };',
    'return { achievement: no, completedAt: Math.max(pastInstant(column, given, now), now) };',
  ),
  reading(
    'freezes beyond the maximum',
    "integerOf('streak.freezes', given.freezes, freezes?.maxCount ?? 0)",
    "integerOf('streak.freezes', given.freezes, IMPORT_STREAK_MAX)",
  ),
  reading('the longest streak is shorter than the present one', 'if (longest < length)', 'if (longest < 0)'),
  reading(
    'a channel that is turned off is one',
    'value === NO_CHANNELS ? [] : listOf(column, value)',
    'listOf(column, value)',
  ),
  reading(
    'points of a row beyond the maximum',
    'integerOf(column, given, maxPoints ?? IMPORT_VALUE_MAX)',
    'integerOf(column, given, IMPORT_VALUE_MAX)',
  ),
  inFile('src/engine/imports/importUsers.ts')(
    'known users stay visible',
    'visible !== undefined && !isNew)',
    'visible !== undefined && isNew)',
  ),
  inFile('src/rules/inForce/preparePreferences.ts')(
    'own conditions where they are not allowed',
    'if (isOwn && !rules.config.streak.customizationEnabled)',
    'if (false)',
  ),
  {
    ...inFile('src/notifications/planning/deliveriesOf.ts', 'import')(
      'what happened in a past that is imported is told',
      'entry.isImport !== true',
      'true',
    ),
    isWide: true,
  },
  relaying(
    'the longest streak elsewhere is forgotten',
    'addStreak(rows, user, outcome, imported.longest)',
    'addStreak(rows, user, outcome)',
  ),
  relaying('kept days are not in the history', 'addCovered(rows, user, outcome, imported.covered, at);', ''),
  relaying(
    'points of the row are no award',
    'rows.awards.push({ ...award, trigger: IMPORT_TRIGGER, day, awarded, total, boosts: [], reward: null });',
    '',
  ),
  relaying('a total is in the history as the whole value', 'change: value, total }', 'total: value, total }'),
  past(
    'the past of a user begins with the import',
    'if user.isNew then user.created, user.updated = instant, instant end',
    '',
  ),
  past(
    'time after the last event of the past does not pass',
    'if not settleUntil(today) then return false end',
    '',
  ),
  past(
    'a journey in the past changes no zone',
    'and applyProfile(user, profile, profileHash, instant, day)',
    'and nil',
  ),
  ordering('a key of the past stays used', 'past.at + window * 1000', 'NEVER'),
];
