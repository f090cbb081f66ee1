import { ServiceError } from '../../base/errors.ts';
import { nounOf } from '../../contract/kinds/allKinds.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Config, EntityKind, EntityOf } from '../../rules/config.ts';

/** What views and bodies of entities depend on besides the entity. */
export interface Surroundings {
  config: Config;
  /** Milliseconds since 1970. */
  now: number;
  /** Day ordinal in the default time zone of the tenant. */
  today: number;
}

export function surroundingsOf(config: Config, now: number): Surroundings {
  return { config, now, today: localTime(config.settings.defaultTimeZone, now).day };
}

/** The message for an id that no entity of this kind has. */
export const missing = (kind: EntityKind, id: string): string => `There is no ${nounOf(kind)} ${id}`;

/**
 * The entities of a kind: all of the tenant, or those of the points system `parent`.
 * @throws ServiceError `notFound` if `parent` does not exist
 */
export function entitiesOf<K extends EntityKind>(
  config: Config,
  kind: K,
  parent: string | null,
): EntityOf<K>[] {
  const entities = config[kind] as EntityOf<K>[];
  if (parent === null) return entities;
  if (!config.pointsSystems.some(({ id }) => id === parent)) {
    throw new ServiceError('notFound', missing('pointsSystems', parent));
  }
  return entities.filter((entity) => 'systemId' in entity && entity.systemId === parent);
}

/** @throws ServiceError `notFound` */
export function findEntity<K extends EntityKind>(
  config: Config,
  kind: K,
  id: string,
  parent: string | null = null,
): EntityOf<K> {
  const entity = entitiesOf(config, kind, parent).find((candidate) => candidate.id === id);
  if (entity === undefined) throw new ServiceError('notFound', missing(kind, id));
  return entity;
}
