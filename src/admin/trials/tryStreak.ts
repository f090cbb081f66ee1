import { groupBy } from '../../base/groupBy.ts';
import { idsOf, type TrialUser, type TrialWindow } from '../../db/trials/trialSlices.ts';
import { type ReachedDay, readReachedDays, readRecordedStreaks } from '../../db/trials/triedStreaks.ts';
import { conditionsOf } from '../../engine/events/lateHistory.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { DAY_MS, periodDays, periodOfDay } from '../../rules/calendar.ts';
import type { RecordedPeriod, StreakAfter } from '../../rules/followStreak.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { streakInForce } from '../../views/streakView.ts';
import { type KnownStreak, streakUnderRules } from './streakUnderRules.ts';
import { refuseTrial, type Trial, type TrialSlice } from './trial.ts';

/** The streak of a user as it really went, and as it would have gone. */
interface TriedStreak {
  user: TrialUser;
  known: KnownStreak;
  /** Streaks that were really lost. */
  losses: number;
  after: StreakAfter;
}

/** The streak settings: how often streaks would have grown, been saved and been lost. */
export function tryStreak(present: Rules, rules: Rules): Trial {
  const { enabled, frequency } = rules.config.streak;
  if (!enabled) throw refuseTrial('nobody has a streak while streaks are switched off');
  const isSame = frequency === present.config.streak.frequency;
  return {
    audience: [],
    leavesOut: [
      'Earlier changes of the streak settings: the present ones count for all of these days.',
      'Time zones, preferences and pauses of users as they were: those of today count.',
      'When administrators, imports or challenges gave freezes: users have these from the first day on.',
      ...(isSame ? [] : ['Streaks before these days, as far as their events are no longer kept.']),
      'What follows from streaks: points, achievements and leaderboards.',
    ],
    examine: async (slice) => {
      const streaks = await triedStreaks(present, rules, slice);
      const { from } = slice.window;
      const lengthOf = ({ known }: TriedStreak): number => streakInForce(present, known.state).length;
      const changed = streaks.filter((one) => lengthOf(one) !== one.after.length);
      return {
        figures: [
          figure('streaksExtended', streaks, [
            ({ known }) => count(known.periods, from, null),
            ({ after }) => count(after.periods, from, null),
          ]),
          figure('streaksLost', streaks, [({ losses }) => losses, ({ after }) => after.losses.length]),
          figure('freezesUsed', streaks, [
            ({ known }) => count(known.periods, from, 'freeze'),
            ({ after }) => count(after.periods, from, 'freeze'),
          ]),
          figure('usersWithStreak', streaks, [
            (one) => Number(lengthOf(one) > 0),
            ({ after }) => Number(after.length > 0),
          ]),
        ],
        examples: changed.map((one) => ({
          userId: one.user.userId,
          name: one.user.name,
          at: null,
          before: lengthOf(one),
          after: one.after.length,
        })),
      };
    },
  };
}

type Figure = 'streaksExtended' | 'streaksLost' | 'freezesUsed' | 'usersWithStreak';
type Counts = (streak: TriedStreak) => number;

const figure = (name: Figure, streaks: readonly TriedStreak[], [before, after]: [Counts, Counts]) => ({
  name,
  of: null,
  before: streaks.reduce((sum, one) => sum + before(one), 0),
  after: streaks.reduce((sum, one) => sum + after(one), 0),
});

/** Periods from an instant (ms) on that extended a streak, or that a freeze saved. */
const count = (periods: readonly RecordedPeriod[], from: number, by: RecordedPeriod['madeGoodBy']): number =>
  periods.filter(({ madeGoodBy, at }) => madeGoodBy === by && at >= from).length;

async function triedStreaks(present: Rules, rules: Rules, slice: TrialSlice): Promise<TriedStreak[]> {
  const { rows, users, window, readStates } = slice;
  const states = await readStates(idsOf(users));
  const known = users.flatMap((user, i) => (states[i] ? [{ user, state: states[i] }] : []));
  const { frequency } = present.config.streak;
  const since = firstPeriods(frequency, window);
  const recorded = await readRecordedStreaks(rows, present, { users, window, frequency, since });
  const days = groupBy(
    await readDays(
      present,
      rules,
      slice,
      known.map(({ state }) => state),
    ),
    ({ no }) => no,
  );
  const periods = groupBy(recorded.periods, ({ userId }) => userId);
  const resets = groupBy(recorded.resets, ({ userId }) => userId);
  const earned = new Map(recorded.earned.map((row) => [row.userId, row.freezes]));
  const losses = new Map(recorded.losses.map((row) => [row.userId, row.losses]));
  return known.map(({ user, state }) => {
    const { userId, no } = user;
    const streak: KnownStreak = {
      state,
      periods: periods.get(userId) ?? [],
      resets: (resets.get(userId) ?? []).map(({ at }) => at),
      earned: earned.get(userId) ?? 0,
      isOld: recorded.earlier.has(userId),
      days: (no !== null && days.get(no)) || [],
    };
    const after = streakUnderRules(present, rules, streak, window);
    return { user, known: streak, losses: losses.get(userId) ?? 0, after };
  });
}

/** A period before the one in which the window began, in any time zone. */
const firstPeriods = (frequency: Rules['config']['streak']['frequency'], { from }: TrialWindow): number =>
  periodOfDay(frequency, Math.floor(from / DAY_MS) - 1) - 1;

/** What users have reached of the metrics of old and new conditions. */
function readDays(
  present: Rules,
  rules: Rules,
  { rows, users, window }: TrialSlice,
  states: readonly UserState[],
): Promise<ReachedDay[]> {
  const metricsOf = (of: Rules): number[] => [
    ...new Set(states.flatMap((state) => [...conditionsOf(of, state).thresholds.keys()])),
  ];
  const { frequency } = rules.config.streak;
  const isSame = frequency === present.config.streak.frequency;
  const tracked = metricsOf(present);
  return readReachedDays(rows, {
    users,
    window,
    frequency,
    metrics: [...new Set([...tracked, ...metricsOf(rules)])],
    tracked,
    // The periods of another frequency are found from all days.
    since: isSame ? periodDays(frequency, firstPeriods(frequency, window)).start : null,
  });
}
