import type { ChangedItem } from '../contract/changedItem.ts';
import type { Rules } from '../rules/inForce/rules.ts';

type Fields = Record<string, unknown> | null;

/** Fields of corrections that name an item by its key. */
const KEY_FIELDS = [
  ['achievement', 'achievements', 'achievementByKey'],
  ['pointsSystem', 'pointsSystems', 'systemByKey'],
  ['leaderboard', 'leaderboards', 'leaderboardByKey'],
  ['metric', 'metrics', 'metricByKey'],
] as const;

/** The item of the configuration that a change of it is about; null for others, and if it was deleted. */
export function changedItemView(rules: Rules, kind: string, id: string): ChangedItem | null {
  const entity = rules.findById(kind, id);
  if (entity === null) return null;
  const name = 'name' in entity ? entity.name : null;
  return { kind, id, name, ...('systemId' in entity && { systemId: entity.systemId }) };
}

/** The item that a correction of a user names by its key; null if it names none, or one that was deleted. */
export function correctedItemView(rules: Rules, before: Fields, after: Fields): ChangedItem | null {
  for (const [field, kind, byKey] of KEY_FIELDS) {
    const key = after?.[field] ?? before?.[field];
    const entity = typeof key === 'string' ? rules[byKey].get(key) : undefined;
    if (entity !== undefined) return { kind, id: entity.id, name: entity.name };
  }
  return null;
}
