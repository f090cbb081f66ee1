import { pastNumbers } from '../../db/trials/triedAwards.ts';
import { boostedPoints } from '../../db/trials/triedBoosts.ts';
import { revisionOf } from '../../rules/config.ts';
import { ofAudience, type Trial, type TriedItem } from './trial.ts';
import { leftOutOfSystem } from './tryTrigger.ts';

/** A boost: the points that users would have gained if it had applied on all days, whatever its dates. */
export function tryBoost({ rules, item, replaced }: TriedItem<'pointsBoosts'>): Trial {
  const system = rules.byId('pointsSystems', item.systemId);
  return {
    audience: item.userAttributes,
    leavesOut: [
      'The dates of the boost: it is tried on all of these days.',
      'Rounding, where several boosts apply to one award: each is rounded by itself.',
      ...ofAudience(item.userAttributes),
      ...leftOutOfSystem(system),
    ],
    examine: async ({ rows, users, window }) => {
      const numbers =
        replaced === null
          ? []
          : [revisionOf(replaced), ...(await pastNumbers(rows, rules, 'pointsBoosts', replaced.id))];
      const earlier = { multiplier: replaced?.multiplier ?? 1, numbers };
      const points = await boostedPoints(rows, rules, item, {
        users,
        window,
        system: system.no,
        replaced: earlier,
      });
      const nameOf = new Map(users.map(({ userId, name }) => [userId, name]));
      return {
        figures: [
          {
            name: 'pointsGained',
            of: null,
            before: points.reduce((sum, { before }) => sum + before, 0),
            after: points.reduce((sum, { after }) => sum + after, 0),
          },
        ],
        examples: points
          .filter(({ before, after }) => before !== after)
          .map(({ userId, before, after }) => ({
            userId,
            name: nameOf.get(userId) ?? null,
            at: null,
            before,
            after,
          })),
      };
    },
  };
}
