import { pastNumbers, realPoints, type TriedPoints, triedPoints } from '../../db/trials/triedAwards.ts';
import type { PointsSystem } from '../../rules/config.ts';
import { revisionOf } from '../../rules/config.ts';
import { ofAudience, refuseTrial, type Trial, type TriedItem } from './trial.ts';
import { countingOf, leftOutOf } from './triedCounting.ts';

/** What a system leaves out of sums of its points. */
export const leftOutOfSystem = ({ maxPoints }: PointsSystem): string[] =>
  maxPoints === null ? [] : ['The maximum of the points system.'];

/** A points trigger: the points that users would have gained and lost in its system. */
export function tryTrigger(tried: TriedItem<'pointsTriggers'>): Trial {
  const { rules, item, replaced } = tried;
  if (item.type === 'time')
    throw refuseTrial(
      'points given by time depend on the total at each instant, which the history does not hold',
    );
  const system = rules.byId('pointsSystems', item.systemId);
  const counted = item.type === 'metric' ? countingOf(item) : null;
  return {
    audience: item.userAttributes,
    leavesOut: [
      ...(counted === null ? [] : leftOutOf(counted)),
      ...ofAudience(item.userAttributes),
      ...leftOutOfSystem(system),
      ...(item.points < 0 ? ['Users who would not have had enough points.'] : []),
      ...(item.type === 'achievement' ? ['Whether a completion was silent.'] : []),
    ],
    examine: async ({ rows, users, window }) => {
      const triggers =
        replaced === null
          ? []
          : [revisionOf(replaced), ...(await pastNumbers(rows, rules, 'pointsTriggers', replaced.id))];
      const real = await realPoints(rows, rules, { users, window, system: system.no, triggers });
      const points = await triedPoints(rows, rules, item, { users, window, tried: counted });
      const gained = sumOf(real, ({ gained }) => gained);
      const taken = sumOf(real, ({ taken }) => taken);
      const gainedByOthers = gained - sumOf(real, ({ gainedByTriggers }) => gainedByTriggers);
      const takenByOthers = taken - sumOf(real, ({ takenByTriggers }) => takenByTriggers);
      const realOf = new Map(real.map((one) => [one.userId, one]));
      const nameOf = new Map(users.map(({ userId, name }) => [userId, name]));
      return {
        figures: [
          {
            name: 'pointsGained',
            of: null,
            before: gained,
            after: gainedByOthers + sumOf(points, ({ gained }) => gained),
          },
          {
            name: 'pointsTaken',
            of: null,
            before: taken,
            after: takenByOthers + sumOf(points, ({ taken }) => taken),
          },
          { name: 'usersAwarded', of: null, before: null, after: points.length },
        ],
        examples: points.map(({ userId, gained, taken }) => {
          const before = realOf.get(userId);
          const byOthers = netOf(before) - netByTriggers(before);
          return {
            userId,
            name: nameOf.get(userId) ?? null,
            at: null,
            before: netOf(before),
            after: byOthers + gained - taken,
          };
        }),
      };
    },
  };
}

type Real = Awaited<ReturnType<typeof realPoints>>[number];

const netOf = (points: TriedPoints | undefined): number => (points ? points.gained - points.taken : 0);
const netByTriggers = (points: Real | undefined): number =>
  points ? points.gainedByTriggers - points.takenByTriggers : 0;

const sumOf = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((sum, one) => sum + of(one), 0);
