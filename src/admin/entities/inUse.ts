import {
  type Config,
  ENTITY_KINDS,
  type Entity,
  type EntityKind,
  type EntityOf,
} from '../../rules/config.ts';
import type { Reward } from '../../rules/rewards.ts';
import { labelOf } from './entityBatch.ts';

const neededByReward = ({ points, achievementId }: Reward) => [points?.systemId ?? null, achievementId];

/** Ids of everything that an entity needs, except its points system. */
function neededBy(entity: EntityOf<EntityKind>): (string | null)[] {
  const needed: (string | null)[] = [];
  if ('metricId' in entity) needed.push(entity.metricId);
  if ('pointsSystemId' in entity) needed.push(entity.pointsSystemId);
  if ('achievementId' in entity) needed.push(entity.achievementId);
  if ('achievementIds' in entity) needed.push(...entity.achievementIds);
  if ('breakdownAttributes' in entity) needed.push(...entity.breakdownAttributes);
  if ('rewards' in entity) needed.push(...entity.rewards.flatMap(neededByReward));
  if ('userAttributes' in entity) needed.push(...entity.userAttributes.map((pair) => pair.attributeId));
  if ('eventAttributes' in entity) needed.push(...entity.eventAttributes.map((pair) => pair.attributeId));
  return needed;
}

/** The parts of these points systems, which are deleted with them. */
export function partsOf(config: Config, ids: Set<string>): { kind: EntityKind; id: string }[] {
  return ENTITY_KINDS.flatMap((kind) =>
    (config[kind] as Entity[])
      .filter((entity) => 'systemId' in entity && ids.has(entity.systemId as string))
      .map(({ id }) => ({ kind, id })),
  );
}

/** For each of these that another entity needs: the names of those that need it. */
function usersOf(config: Config, ids: Set<string>): Map<string, string[]> {
  const users = new Map<string, string[]>();
  const record = (id: string | null, user: string): void => {
    if (id === null || !ids.has(id) || users.get(id)?.includes(user)) return;
    users.set(id, [...(users.get(id) ?? []), user]);
  };
  const gone = new Set([...ids, ...partsOf(config, ids).map(({ id }) => id)]);
  for (const kind of ENTITY_KINDS) {
    // Counters are derived and go with their metric.
    if (kind === 'counters') continue;
    for (const entity of config[kind]) {
      if (gone.has(entity.id)) continue;
      for (const id of neededBy(entity)) record(id, labelOf(config, kind, entity.id));
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
