import { expect, test } from 'vitest';
import { ENTRY_FORMAT } from '../../src/redis/lua/entryFormat.ts';
import { ALL_LAYOUTS } from '../../src/redis/lua/luaNames.ts';

/*
 * What processes of two versions read of each other. If a test fails because you changed a record, read
 * "Versions that run side by side" in docs/development.md, follow it, and then bring the lists up to date
 * here.
 */

/** Records by the name of their layout, with their values in order. */
const names = (wanted: object): Record<string, string> =>
  Object.fromEntries(
    Object.keys(wanted).map((name) => [name, ALL_LAYOUTS[name as keyof typeof ALL_LAYOUTS].names.join(' ')]),
  );

test('entries of the outbox have the records of their format', () => {
  const formats = {
    recordEvents: 'recordEvents/1',
    recordLateEvent: 'recordLateEvent/1',
    changeUser: 'changeUser/1',
    settleUsers: 'settleUsers/1',
    importUsers: 'importUsers/1',
    importEvents: 'importEvents/1',
    settleImported: 'settleImported/1',
    moveUsers: 'moveUsers/1',
  };
  const records = {
    EVENT: 'userId metric value control fingerprint profileHash attributes counters addends',
    DETAIL: 'eventId profile',
    LATE: 'at sequence repair outdated marks isTooOld undo',
    UNDO: 'erasures scores points peaks addends achievements',
    COUNTER_PEAK: 'counter peak',
    MARK_PAST: 'counter total has',
    REPAIR:
      'streaks freezes freezeDay gained dropped longest removedPeriods addedPeriods removedLosses addedLosses removedEarned addedEarned',
    USER_CHANGE:
      'userId control profile profileHash achievements mayCreate activation filled preferences amendment correction',
    FILLED: 'sequence isWhole counters repeats challenges',
    FILLED_COUNTER: 'counter total peak marks',
    FILLED_REPEATS: 'achievement times periods',
    FILLED_GOAL: 'counter keeps addends',
    FILLED_RUN: 'challenge run begunAt isReached goals',
    IMPORTED_USER:
      'userId control profile profileHash created metrics points achievements challenges streak freezes preferences messagesFrom replaced',
    IMPORTED_STREAK: 'length firstDay lastPeriod extendedAt longest lastDay zone',
    REPLACED_STREAK: 'sequence periods losses longest freezesMax',
    IMPORTED_CHANGE: 'entity no change total',
    IMPORTED_COMPLETION: 'achievement completedAt',
    IMPORTED_CHALLENGE: 'challenge completions',
    IMPORT_DETAIL: 'metrics points achievements hasStreak covered',
    CORRECTION: 'operation no amount id reward',
    REWARD: 'run lastDay rank at trigger points',
    GIVEN_POINTS: 'system amount',
    SETTLED_AT: 'userId at',
    LEAGUE_USER: 'userId',
    CHANGE:
      'outcome sequence isNew day total frequency streakLength streakFirstDay streakLastPeriod streakDaysOff extended completedCount',
    REPEATED: 'mark achievement times completedAt',
    SYSTEM: 'system awardCount',
    AWARD: 'trigger awarded total boostCount',
    BOARD_CHANGE: 'board run rank previousRank threshold value previousValue group leftGroup',
    SETTLED: 'lost earned freezes coveredCount noticeCount',
    COVERED: 'period by length',
    NOTICE: 'kind frequency period count',
    REPLAYED: 'day total streakLength streakFirstDay streakLastPeriod streakDaysOff usedAt',
    CHANGED_CHALLENGES: 'outcome count',
    CHALLENGE_CHANGE: 'challenge run step steps goalCount',
    GOAL_CHANGE: 'counter total',
  };
  expect([ENTRY_FORMAT, names(records)]).toEqual([formats, records]);
});

test('the state of a user has the records that every version since 1.0.0 reads', () => {
  const records = {
    USER_HOT:
      'sequence tz rulesVersion fastPathDay fastPathMetric streakLength streakFirstDay streakLastPeriod streakDaysOff profileHash counters peaks points boards seen due guards hasFormerKeys keepsHistory challenges boosts',
    USER_COLD:
      'created updated name email subscribeToEmails control deviceTokens attributes streak progress achievements freezes freezeDay settledDay pauses preferences frequency activeDay achievementNotice signUpDate imported rewarded pastImport formerGroups formerPlaces marks repeats messagesFrom periodsFrom recentPeriods recordedFrom formerChallenges challengeCompletions',
    BOARD_ENTRY: 'board run score ticket',
    LEAGUE_ENTRY: 'league run seat tier',
    STREAK: 'length firstDay lastPeriod extendedAt lostLength lostFirstDay slack',
    PROGRESS: 'period sums',
    GUARD_STATE: 'countedAt hour hourEvents hourValue day dayEvents dayValue',
    PAUSE: 'id firstDay lastDay',
    REWARDED: 'board run',
    FORMER_GROUP: 'board run group',
    FORMER_PLACE: 'run group ticket score',
    PAST_TOKEN: 'import token',
    ACHIEVEMENT_NOTICE: 'due sentDay',
    MARK: 'period total memory',
    DAYS: 'last bits',
    RUN_STEPS: 'joinedAt completedAt claimedAt peaks',
    CHALLENGE_ENTRY: 'challenge run length begunAt steps',
    USER_BOOST: 'no system multiplier from till',
    GOAL_PROGRESS: 'counter total memory',
    GOAL_DAY_BLOCK: 'number bits',
    REPEATS: 'times periods',
  };
  expect(names(records)).toEqual(records);
});
