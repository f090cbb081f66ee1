import { ServiceError } from '../../base/errors.ts';
import type { ResourceSchemas } from '../../contract/admin.ts';
import type { Body } from '../../engine/configuration/configDraft.ts';
import { localTime } from '../../rules/calendar.ts';
import type { Config, EntityKind, EntityOf } from '../../rules/config.ts';
import { NOUNS } from './nouns.ts';
import type { Item } from './resource.ts';

/** What views and bodies of entities depend on besides the entity. */
export interface Surroundings {
  config: Config;
  /** Milliseconds since 1970. */
  now: number;
  /** Day ordinal in the default time zone of the tenant. */
  today: number;
}

/** How one kind of entity is read and shown by the Admin API. */
export interface EntityForm<K extends EntityKind> {
  kind: K;
  schemas: Required<Pick<ResourceSchemas, 'create' | 'update'>>;
  /** The values of fields that a request leaves out. A field without a default must be given. */
  defaults: (surroundings: Surroundings) => Partial<Body<EntityOf<K>>>;
  /** Converts the fields whose form in a request differs from that of the entity. `null` means no value. */
  read?: Record<string, (value: Item, surroundings: Surroundings) => Partial<Body<EntityOf<K>>>>;
  /** Sets fields that were not given but follow from those that were. */
  complete?: (
    body: Body<EntityOf<K>>,
    given: Partial<Body<EntityOf<K>>>,
    before: Body<EntityOf<K>> | null,
    surroundings: Surroundings,
  ) => Body<EntityOf<K>>;
  view: (entity: EntityOf<K>, surroundings: Surroundings) => object;
  /** The view in the answer to its creation, which may show secrets. */
  viewCreated?: (entity: EntityOf<K>, surroundings: Surroundings) => object;
  /** Lists in a created item whose items become entities that belong to it. */
  parts?: Record<string, AnyForm>;
}

// biome-ignore lint/suspicious/noExplicitAny: a form of any kind
export type AnyForm = EntityForm<any>;

export function surroundingsOf(config: Config, now: number): Surroundings {
  return { config, now, today: localTime(config.settings.defaultTimeZone, now).day };
}

/** The message for an id that no entity of this kind has. */
export const missing = (kind: EntityKind, id: string): string => `There is no ${NOUNS[kind]} ${id}`;

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

/** The views of the levels, triggers or boosts of a points system. */
export function viewParts(form: AnyForm, systemId: string, at: Surroundings): object[] {
  return entitiesOf(at.config, form.kind as EntityKind, systemId).map((part) => form.view(part, at));
}
