import type { PointsSystem } from '../../../../src/rules/config.ts';
import type { BookedAward } from '../../books.ts';
import type { Expected } from '../../difference.ts';
import { levelAt, levelOf, levelsOf } from '../entities.ts';
import { datesOf, type FigureRead, type Figures, INTERVALS, Range } from './range.ts';

type Trigger = Readonly<Record<string, Expected>>;
type Flow = Record<string, Expected>;

const triggerOf = ({ trigger }: BookedAward): Trigger => trigger as Trigger;
const isImported = (award: BookedAward): boolean => triggerOf(award).type === 'import';
const sumOf = (awards: readonly BookedAward[]): number =>
  awards.reduce((sum, { awarded }) => sum + Math.abs(awarded), 0);

/** Where points come from and where they go. What an import sets was gained elsewhere. */
export function pointsReads(figures: Figures): FigureRead[] {
  return figures.model.config.pointsSystems.flatMap((system) => {
    const awards = figures.log.everybody
      .flatMap((user) => user.awards)
      .filter((award) => award.systemId === system.id && !isImported(award))
      .map((award) => ({ ...award, at: award.recordedAt }));
    const outstanding = outstandingOf(figures, system);
    return INTERVALS.map((interval): FigureRead => {
      const range = new Range(figures, interval);
      const periods = range.periods.map((period) => {
        const own = range.in(period, awards);
        const [gained, spent] = [own.filter(isGain), own.filter((one) => !isGain(one))];
        return { ...datesOf(period), gained: sumOf(gained), spent: sumOf(spent), awards: own.length };
      });
      const inRange = range.inAll(awards);
      return {
        path: `points/${system.key}?${range.query}`,
        body: {
          ...range.fields,
          periods,
          sources: flowOf(inRange.filter(isGain)),
          sinks: flowOf(inRange.filter((one) => !isGain(one))),
          ...outstanding,
        },
        arrange: ({ sources, sinks }: { sources: Flow[]; sinks: Flow[] }) => {
          for (const list of [sources, sinks]) list.sort(inOrder);
        },
      };
    });
  });
}

const isGain = ({ awarded }: BookedAward): boolean => awarded > 0;

/** The most points first; equal ones have no order. */
const inOrder = (a: Flow, b: Flow): number =>
  Number(b.points) - Number(a.points) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

function flowOf(awards: readonly BookedAward[]): Flow[] {
  const ofTriggers = new Map<string, BookedAward[]>();
  for (const award of awards) {
    const { id, type, leaderboardKey = '', challengeKey = '' } = triggerOf(award);
    const name = [id, type, leaderboardKey, challengeKey].join(' ');
    ofTriggers.set(name, [...(ofTriggers.get(name) ?? []), award]);
  }
  const flow = [...ofTriggers.values()].map((ofTrigger): Flow => {
    // A trigger that has been changed is shown as it was last.
    const last = ofTrigger.map(triggerOf).reduce((a, b) => (String(b.updated) > String(a.updated) ? b : a));
    const { type, leaderboardKey, leaderboardName, challengeKey, challengeName } = last;
    const isConfigured = !['adjustment', 'leaderboard', 'challenge'].includes(String(type));
    return {
      trigger: isConfigured ? last : null,
      type: type!,
      ...(leaderboardKey && { leaderboard: { key: leaderboardKey, name: leaderboardName! } }),
      ...(challengeKey && { challenge: { key: challengeKey, name: challengeName! } }),
      awards: ofTrigger.length,
      points: sumOf(ofTrigger),
    };
  });
  return flow.sort(inOrder);
}

/** The points that users have now, and the users at each level with theirs. */
function outstandingOf({ model }: Figures, system: PointsSystem): Record<string, Expected> {
  const totals = [...model.users.values()].map(({ points }) => points.get(system.id) ?? 0);
  const sum = (list: readonly number[]): number => list.reduce((all, total) => all + total, 0);
  const levels = levelsOf(model.config, system).map((level) => {
    const there = totals.filter((total) => levelAt(model.config, system, total) === level);
    return { level: levelOf(level), users: there.length, points: sum(there) };
  });
  return { outstanding: sum(totals), levels };
}
