import type { ResponseOf } from '../../contract/operation.ts';
import { GetPointsAnalytics, GetStreakAnalytics } from '../../contract/progressAnalytics.ts';
import type { CountKind } from '../../db/analytics/dailyCounts.ts';
import {
  type RangeCount,
  readCounts,
  readRangeCounts,
  readStreakLengths,
} from '../../db/analytics/readAnalytics.ts';
import { sumPointsByBound } from '../../db/users/readStandings.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { challengeTrigger, rewardTrigger, unconfiguredTrigger } from '../../rules/award.ts';
import { FREQUENCIES } from '../../rules/calendar.ts';
import { survivalCurve } from '../../rules/survival.ts';
import type { Causes } from '../../views/causeView.ts';
import { namedView } from '../history/timelineView.ts';
import { boundsOf, countAtLevels } from '../points/summaries.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { findSystem } from '../request/find.ts';
import { countsOf } from './activityAnalytics.ts';
import { periodView, rangeView, readRange, rounded } from './range.ts';

export const getStreakAnalytics = endpoint(GetStreakAnalytics, async (call) => {
  const { service, rules, query } = call;
  const range = readRange(call, query);
  const { tenant } = rules;
  const { enabled, frequency } = rules.config.streak;
  const no = FREQUENCIES.indexOf(frequency) + 1;
  const [found, earned, lost, lengths] = await service.history.read(rules.tenant, (rows) =>
    Promise.all([
      readCounts(
        rows,
        tenant,
        ['streaksStarted', 'streaksExtended', 'streaksLost', 'freezesUsed', 'pausesUsed'],
        range,
        'period',
        no,
      ),
      readCounts(rows, tenant, ['freezesEarned'], range, 'period'),
      readRangeCounts(rows, tenant, ['streaksLost'], range, no),
      enabled ? readStreakLengths(rows, tenant, frequency) : [],
    ]),
  );
  const count = countsOf([...found, ...earned]);
  const periods = range.periods.map((period) => ({
    ...periodView(period),
    started: count('streaksStarted', period.start),
    extended: count('streaksExtended', period.start),
    lost: count('streaksLost', period.start),
    freezesUsed: count('freezesUsed', period.start),
    freezesEarned: count('freezesEarned', period.start),
    pausesUsed: count('pausesUsed', period.start),
  }));
  return ok({ ...rangeView(range), frequency, periods, lengths, survival: survivalOf(lost, lengths) });
});

function survivalOf(lost: RangeCount[], lengths: { length: number; users: number }[]) {
  const reached = new Map(lengths.map(({ length, users }) => [length, { length, ended: 0, ongoing: users }]));
  for (const { detail, count } of lost) {
    const length = Number(detail);
    const known = reached.get(length) ?? { length, ended: 0, ongoing: 0 };
    known.ended += count;
    reached.set(length, known);
  }
  return survivalCurve([...reached.values()]).map((step) => ({ ...step, rate: rounded(step.rate) }));
}

export const getPointsAnalytics = endpoint(GetPointsAnalytics, async (call) => {
  const { service, rules, path, query } = call;
  const system = findSystem(rules, path.key);
  const range = readRange(call, query);
  const counts: ('pointsGained' | 'pointsSpent')[] = ['pointsGained', 'pointsSpent'];
  const { found, flow, causes } = await service.history.read(rules.tenant, async (rows) => {
    const [byPeriod, byTrigger] = await Promise.all([
      readCounts(rows, rules.tenant, counts, range, 'period', system.no),
      readRangeCounts(rows, rules.tenant, counts, range, system.no),
    ]);
    const caused = byTrigger.map(({ detail }) => ({ trigger: Number(detail), boosts: null }));
    return { found: byPeriod, flow: byTrigger, causes: await findCauses(rows, rules, caused) };
  });
  const levels = await countAtLevels(call, system);
  const bounds = boundsOf(levels.map(({ level }) => level));
  const [below, ...held] = await service.history.read(rules.tenant, (rows) =>
    sumPointsByBound(rows, { tenant: rules.tenant, system: system.no }, bounds),
  );
  const periods = range.periods.map((period) => {
    const own = found.filter(({ start }) => start === period.start);
    const sumOf = (kind: string): number =>
      own.reduce((all, row) => (row.kind === kind ? all + row.sum : all), 0);
    const awards = own.reduce((all, row) => all + row.count, 0);
    return { ...periodView(period), gained: sumOf('pointsGained'), spent: sumOf('pointsSpent'), awards };
  });
  return ok({
    ...rangeView(range),
    periods,
    sources: flowOf(causes, flow, 'pointsGained'),
    sinks: flowOf(causes, flow, 'pointsSpent'),
    outstanding: held.reduce((all, points) => all + points, below!),
    levels: levels.map((level, i) => ({ ...level, points: held[i]! })),
  });
});

type Flow = ResponseOf<typeof GetPointsAnalytics>['sources'];

/** @param no as awards name it */
function sourceOf(
  causes: Causes,
  no: number,
): Pick<Flow[number], 'trigger' | 'type' | 'leaderboard' | 'challenge'> {
  const trigger = causes.trigger(no);
  if (trigger !== null) return { trigger, type: trigger.type };
  const type = unconfiguredTrigger(no) ?? 'deleted';
  if (type === 'challenge')
    return { trigger, type, challenge: namedView(causes.rules, 'challenges', challengeTrigger(no)) };
  if (type !== 'leaderboard') return { trigger, type };
  return { trigger, type, leaderboard: namedView(causes.rules, 'leaderboards', rewardTrigger(no)) };
}

/** What each trigger did, the most first. A trigger that has been changed is shown as it was last. */
function flowOf(causes: Causes, found: RangeCount[], wanted: CountKind): Flow {
  const flow = new Map<string, Flow[number]>();
  for (const { kind, detail, count, sum } of found) {
    if (kind !== wanted) continue;
    const trigger = causes.trigger(Number(detail));
    const known = flow.get(trigger?.id ?? detail);
    if (known === undefined) {
      flow.set(trigger?.id ?? detail, { ...sourceOf(causes, Number(detail)), awards: count, points: sum });
    } else {
      known.awards += count;
      known.points += sum;
      if (trigger !== null && trigger.updated > known.trigger!.updated) known.trigger = trigger;
    }
  }
  return [...flow.values()].sort((a, b) => b.points - a.points);
}
