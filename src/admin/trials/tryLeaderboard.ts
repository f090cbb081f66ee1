import { readPointsTotals } from '../../db/trials/pointsTotals.ts';
import { idsOf, type TrialWindow } from '../../db/trials/trialSlices.ts';
import {
  type AskedRuns,
  realScores,
  scoresByMetric,
  scoresByPoints,
  type TriedRun,
  type TriedScore,
  withAttributes,
} from '../../db/trials/triedScores.ts';
import { DAY_MS, dateOfDay, dayOfDate, monthOfDay, runHolding, startOfRun } from '../../rules/calendar.ts';
import type { Leaderboard } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { isWhole } from '../../rules/rankingOrder.ts';
import { EVER, firstDayOfRuns, lastDayOfRuns, rangeOfRun } from '../../rules/runZones.ts';
import { streakInForce } from '../../views/streakView.ts';
import { ATTRIBUTES_OF_TODAY, refuseTrial, type Trial, type TrialSlice, type TriedItem } from './trial.ts';

/** A leaderboard: how many users would have had a score in each run. */
export function tryLeaderboard(tried: TriedItem<'leaderboards'>): Trial {
  const { rules, item, replaced } = tried;
  if (item.startTime !== null || item.endTime !== null)
    throw refuseTrial('the history does not hold the local time of each event');
  return {
    audience: [],
    leavesOut: [
      'The dates, unless it is running: it is tried on all of these days.',
      'The number of places, and who is hidden or has opted out: everybody with a score counts.',
      ...(item.league === null ? [] : ['Tiers and groups.']),
      ...(item.breakdownAttributes.length > 0 ? [ATTRIBUTES_OF_TODAY] : []),
      ...(item.pauses.length > 0 ? ['Pauses: what happened in them counts.'] : []),
      ...(item.rankBy === 'metric' ? ['Events that are no longer kept.'] : []),
      'What follows from ranks: rewards.',
    ],
    examine: async (slice) => {
      const runs = runsWithin(rules, item, replaced !== null, slice.window);
      const { before, after } = await bothScores(tried, slice, runs);
      const latest = runs.at(-1)!.start;
      const nameOf = new Map(slice.users.map(({ userId, name }) => [userId, name]));
      const scoreIn = (scores: readonly TriedScore[]) =>
        new Map(scores.filter(({ run }) => run === latest).map(({ userId, value }) => [userId, value]));
      const [had, gets] = [scoreIn(before), scoreIn(after)];
      return {
        figures: [
          { name: 'usersRanked', of: null, before: usersOf(before), after: usersOf(after) },
          ...(runs.length === 1 ? [] : runs).map(({ start }) => ({
            name: 'participants' as const,
            of: dateOfDay(start),
            before: before.filter(({ run }) => run === start).length,
            after: after.filter(({ run }) => run === start).length,
          })),
        ],
        examples: [...gets]
          .filter(([userId, value]) => had.get(userId) !== value)
          .map(([userId, value]) => ({
            userId,
            name: nameOf.get(userId) ?? null,
            at: null,
            before: had.get(userId) ?? null,
            after: value,
          })),
      };
    },
  };
}

const usersOf = (scores: readonly TriedScore[]): number => new Set(scores.map(({ userId }) => userId)).size;

/** The scores with a rank that users really have, and would have. */
async function bothScores(
  tried: TriedItem<'leaderboards'>,
  slice: TrialSlice,
  runs: readonly TriedRun[],
): Promise<{ before: TriedScore[]; after: TriedScore[] }> {
  const { rules, item, replaced } = tried;
  const { rows, users, window } = slice;
  const attributes = item.breakdownAttributes.map((id) => rules.byId('attributes', id).no);
  const meant = await withAttributes(rows, rules, users, attributes);
  // Two days more, because runs begin by local dates.
  const since = isWhole(item) ? null : (runs[0]!.start - 2) * DAY_MS;
  const asked = { users: meant, runs, since, until: window.until };
  const isRanked = ({ value }: TriedScore): boolean => item.aggregation !== 'sum' || value > 0;
  const after = await scoresOf(tried, slice, asked);
  const before = replaced === null ? [] : await realScores(rows, rules, item.no, { ...asked, users });
  return { before: before.filter(isRanked), after: after.filter(isRanked) };
}

async function scoresOf(
  { rules, item }: TriedItem<'leaderboards'>,
  { rows, readStates }: TrialSlice,
  asked: AskedRuns,
): Promise<TriedScore[]> {
  const run = asked.runs.at(-1)!.start;
  switch (item.rankBy) {
    case 'metric':
      return scoresByMetric(rows, rules, item, asked);
    case 'points': {
      const { no } = rules.byId('pointsSystems', item.pointsSystemId!);
      if (!isWhole(item)) return scoresByPoints(rows, rules, no, asked);
      const totals = await readPointsTotals(rows, rules.tenant, no, idsOf(asked.users));
      return [...totals].map(([userId, value]) => ({ userId, run, value }));
    }
    case 'streak': {
      const states = await readStates(idsOf(asked.users));
      return asked.users.flatMap(({ userId }, i) => {
        const state = states[i];
        return state ? [{ userId, run, value: streakInForce(rules, state).length }] : [];
      });
    }
  }
}

/**
 * The runs with a day in the window, each from its first day on. A leaderboard that is not running is taken
 * to have had runs on all of these days.
 */
function runsWithin(
  rules: Rules,
  item: Leaderboard,
  isStored: boolean,
  { from, until }: TrialWindow,
): TriedRun[] {
  const zone = rules.config.settings.defaultTimeZone;
  if (isWhole(item)) return [{ start: dayOfDate(item.start), range: EVER }];
  const [first, last] = [lastDayOfRuns(item, zone, from), firstDayOfRuns(item, zone, until)];
  const isRunning =
    isStored && dayOfDate(item.start) <= last && (item.end === null || dayOfDate(item.end) >= first);
  const board = isRunning ? item : { ...item, end: null, start: dateOfDay(earlierStart(item, first)) };
  const runs: TriedRun[] = [];
  for (let day = Math.max(first, dayOfDate(board.start)); day <= last; ) {
    const run = runHolding(board, day);
    if (run === null) break;
    runs.push({ start: run.start, range: rangeOfRun(board, zone, run) });
    if (run.end === null) break;
    day = run.end + 1;
  }
  return runs;
}

/** A day, at the latest the given one, on which a run would begin if there had always been runs. */
function earlierStart(item: Leaderboard, day: number): number {
  const start = dayOfDate(item.start);
  if (item.runUnit === null || item.runInterval === null) return Math.min(start, day);
  const months = item.runInterval * (item.runUnit === 'year' ? 12 : 1);
  const elapsed =
    item.runUnit === 'day'
      ? (day - start) / item.runInterval
      : (monthOfDay(day) - monthOfDay(start)) / months;
  const run = Math.floor(elapsed);
  // In the month of a start, its day may still come.
  return startOfRun(item, startOfRun(item, run) > day ? run - 1 : run);
}
