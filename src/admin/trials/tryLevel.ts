import { readPointsTotals } from '../../db/trials/pointsTotals.ts';
import { idsOf } from '../../db/trials/trialSlices.ts';
import type { Trial, TriedItem } from './trial.ts';

/** A level of a points system: how many users are at each level now, and would be. */
export function tryLevel({ rules, present, item }: TriedItem<'pointsLevels'>): Trial {
  const system = rules.byId('pointsSystems', item.systemId);
  const before = present.levelsOf(system);
  const after = rules.levelsOf(system);
  const keys = [null, ...after.map(({ key }) => key)];
  /** Key of the level at a total; null below the first one. */
  const keyAt = (levels: typeof after, total: number): string | null =>
    levels.findLast(({ points }) => points <= total)?.key ?? null;
  return {
    audience: [],
    leavesOut: ['When users reached their levels: the figures are of today.'],
    examine: async ({ rows, users }) => {
      const totals = await readPointsTotals(rows, rules.tenant, system.no, idsOf(users));
      const levelled = users.map(({ userId, name }) => {
        const total = totals.get(userId) ?? 0;
        return { userId, name, before: keyAt(before, total), after: keyAt(after, total) };
      });
      const count = (when: 'before' | 'after', key: string | null): number =>
        levelled.filter((user) => user[when] === key).length;
      const placeOf = (levels: typeof after, key: string | null): number =>
        levels.findIndex((level) => level.key === key) + 1;
      return {
        figures: keys.map((key) => ({
          name: 'usersAtLevel',
          of: key,
          before: count('before', key),
          after: count('after', key),
        })),
        examples: levelled
          .filter((user) => user.before !== user.after)
          .map((user) => ({
            userId: user.userId,
            name: user.name,
            at: null,
            before: placeOf(before, user.before),
            after: placeOf(after, user.after),
          })),
      };
    },
  };
}
