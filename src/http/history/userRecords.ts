import { parseGroup } from '../../redis/scripts/outcome.ts';
import { rewardTrigger, unconfiguredTrigger } from '../../rules/award.ts';
import type { EntityKind } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';

/** Rows of a user as an export shows them: what is configured has its key instead of its number. */

type Row = Record<string, unknown>;
type Convert = (rules: Rules, value: never) => unknown;

/** The key of an entity, or what it has instead. A deleted one has only its number. */
export function keyOf(rules: Rules, kind: EntityKind, no: number): string {
  const entity = rules.findByNo(kind, no);
  if (entity === null) return `#${no}`;
  if ('key' in entity) return entity.key;
  return 'name' in entity ? entity.name : entity.id;
}

const byKey = (kind: EntityKind) => (rules: Rules, no: number) => keyOf(rules, kind, no);

/** In tables of activity, the number 0 stands for all metrics. */
const metricKey = (rules: Rules, no: number): string | null =>
  no === 0 ? null : keyOf(rules, 'metrics', no);

function triggerOf(rules: Rules, no: number): object {
  const type = unconfiguredTrigger(no);
  if (type === 'leaderboard') return { type, leaderboard: keyOf(rules, 'leaderboards', rewardTrigger(no)) };
  if (type !== null) return { type };
  const trigger = rules.findByNo('pointsTriggers', no);
  return trigger === null ? { type: `#${no}` } : { id: trigger.id, type: trigger.type };
}

const attributesByKey = (rules: Rules, values: Record<string, string>): object =>
  Object.fromEntries(
    Object.entries(values).map(([no, value]) => [keyOf(rules, 'attributes', Number(no)), value]),
  );

/** Columns with numbers of what is configured, by their names, which mean the same in every table. */
const COLUMNS: Record<string, Convert> = {
  metric: metricKey,
  system: byKey('pointsSystems'),
  achievement: byKey('achievements'),
  leaderboard: byKey('leaderboards'),
  attribute: byKey('attributes'),
  trigger: triggerOf,
  boosts: (rules: Rules, nos: number[]) => nos.map((no) => keyOf(rules, 'pointsBoosts', no)),
  attributes: attributesByKey,
  ranking_group: (_: Rules, group: string) => parseGroup(group),
};

export function recordView(rules: Rules, row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const convert = COLUMNS[column];
      return [column, convert === undefined || value === null ? value : convert(rules, value as never)];
    }),
  );
}
