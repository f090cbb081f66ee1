import { DECLARED_KINDS, KINDS, PART_KINDS } from '../../contract/kinds/allKinds.ts';
import { typedAttributesIn } from '../../rules/challenges/countings.ts';
import type { Config, EntityKind } from '../../rules/config.ts';
import { attributesByKey } from '../kinds/conditionRules.ts';
import { referencesOf } from '../kinds/conversions.ts';
import { labelOf } from './entityBatch.ts';

/** The parts of these points systems, which are deleted with them. */
export function partsOf(config: Config, ids: Set<string>): { kind: EntityKind; id: string }[] {
  return PART_KINDS.flatMap((kind) => {
    const parts: { id: string; systemId: string }[] = config[kind];
    return parts.filter(({ systemId }) => ids.has(systemId)).map(({ id }) => ({ kind, id }));
  });
}

/** For each of these that another entity needs: the names of those that need it. */
function usersOf(config: Config, ids: Set<string>): Map<string, string[]> {
  const users = new Map<string, string[]>();
  const record = (id: string, user: string): void => {
    if (!ids.has(id) || users.get(id)?.includes(user)) return;
    users.set(id, [...(users.get(id) ?? []), user]);
  };
  const gone = new Set([...ids, ...partsOf(config, ids).map(({ id }) => id)]);
  const byKey = attributesByKey(config.attributes);
  // Counters are derived and go with their metric.
  for (const kind of DECLARED_KINDS) {
    for (const entity of config[kind]) {
      if (gone.has(entity.id)) continue;
      const typed = 'where' in entity ? typedAttributesIn(entity) : [];
      for (const id of [
        ...referencesOf(KINDS[kind], entity),
        ...typed.map(({ type, key }) => byKey[type].get(key)!.id),
      ])
        record(id, labelOf(config, kind, entity.id));
    }
  }
  const streakKeys = new Set(config.streak.metrics.map(({ key }) => key));
  for (const { id, key } of config.metrics) if (streakKeys.has(key)) record(id, 'the streak');
  return users;
}

export interface Deletion {
  /** The entities that may be deleted, with their parts. */
  entities: { kind: EntityKind; id: string }[];
  /** Id → names of the entities that need it. */
  inUse: Map<string, string[]>;
}

/** Which of these entities may be deleted together: those that no remaining entity needs. */
export function planDeletion(config: Config, kind: EntityKind, ids: string[]): Deletion {
  const going = new Set(ids);
  const inUse = new Map<string, string[]>();
  for (;;) {
    const users = usersOf(config, going);
    if (users.size === 0) break;
    for (const [id, by] of users) {
      going.delete(id);
      inUse.set(id, by);
    }
  }
  return { entities: [...partsOf(config, going), ...[...going].map((id) => ({ kind, id }))], inUse };
}
