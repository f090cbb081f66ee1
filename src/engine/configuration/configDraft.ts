import { isDeepStrictEqual } from 'node:util';
import { newId } from '../../base/ids.ts';
import type { ConfigChanges, EntityChange, LastNumbers } from '../../db/configuration/configChanges.ts';
import { countedBy, countingItems } from '../../rules/challenges/countings.ts';
import { typesOf } from '../../rules/conditions/typedValues.ts';
import {
  type AttributeValue,
  type Cause,
  type Config,
  ENTITY_KINDS,
  type Entity,
  type EntityKind,
  type EntityLists,
  type EntityOf,
  isCauseKind,
  revisionOf,
  type StreakSettings,
} from '../../rules/config.ts';
import { ALL_EVENTS, type Counting, counterIdentity, typedAttributesOf } from '../../rules/counting.ts';
import { positionBefore } from '../../rules/positions.ts';
import type { Settings } from '../../rules/tenantSettings.ts';
import { pastCausesOf } from './awardCauses.ts';

/** The fields of an entity without its identity, position and timestamps. */
export type Body<T extends Entity> = Omit<T, keyof Cause>;

/** Filters are stored in one order, so that equal filters compare as equal. */
export function sortFilter(filter: AttributeValue[]): AttributeValue[] {
  return filter.toSorted((a, b) =>
    a.attributeId < b.attributeId ? -1 : a.attributeId > b.attributeId ? 1 : 0,
  );
}

export function bodyOf<T extends Entity>(entity: T): Body<T> {
  const {
    id: _id,
    no: _no,
    position: _position,
    revision: _revision,
    created: _created,
    updated: _updated,
    ...body
  } = entity as T & Cause;
  return body;
}

/** The number that the entity got last. */
const highestNumber = (entity: EntityOf<EntityKind>): number => Math.max(entity.no, revisionOf(entity));

/** The highest numbers in use. These are the last numbers given only if no entity has been deleted. */
function highestNumbers(config: Config): LastNumbers {
  return Object.fromEntries(
    ENTITY_KINDS.map((kind) => [kind, Math.max(0, ...config[kind].map(highestNumber))]),
  ) as LastNumbers;
}

/** A state of a draft that can be restored. */
interface SavedDraft {
  config: Config;
  lastNumbers: LastNumbers;
}

/**
 * A configuration that is being edited. An entity that is put without a difference stays the same object: no
 * change.
 */
export class ConfigDraft {
  /** The configuration as it is stored. */
  readonly before: Config;
  /** The configuration with the edits so far. */
  readonly config: Config;
  /** Milliseconds since 1970. */
  readonly now: number;
  #lastNumbers: LastNumbers;

  /** @param lastNumbers highest number ever used by kind, so that a deleted entity's number is not reused */
  constructor(current: Config, now: number, lastNumbers: LastNumbers = highestNumbers(current)) {
    this.before = current;
    this.now = now;
    this.#lastNumbers = { ...lastNumbers };
    this.config = copyLists(current);
  }

  save(): SavedDraft {
    return { config: copyLists(this.config), lastNumbers: { ...this.#lastNumbers } };
  }

  /** Undoes all edits since `save`. A saved state can be restored once. */
  restore({ config, lastNumbers }: SavedDraft): void {
    Object.assign(this.config, config);
    this.#lastNumbers = lastNumbers;
  }

  /**
   * Creates the entity with this id, or replaces its body.
   * @param nextId the entity before which lists show a new one; null for the end
   */
  put<K extends EntityKind>(
    kind: K,
    id: string,
    body: Body<EntityOf<K>>,
    nextId: string | null = null,
  ): void {
    const list = this.config[kind] as EntityOf<K>[];
    const fields = asStored(body);
    const updated = new Date(this.now).toISOString();
    const index = list.findIndex((entity) => entity.id === id);
    if (index === -1) {
      this.#lastNumbers[kind]++;
      const meta: Entity = { id, no: this.#lastNumbers[kind], created: updated, updated };
      const next = list.findIndex((entity) => entity.id === nextId);
      if (next === -1) list.push({ ...fields, ...meta } as EntityOf<K>);
      else {
        const position = positionBefore(list[next]!, list[next - 1]);
        list.splice(next, 0, { ...fields, ...meta, position } as EntityOf<K>);
      }
      return;
    }
    const stored = list[index]!;
    if (isDeepStrictEqual(bodyOf(stored), fields)) return;
    const revision = isCauseKind(kind) ? { revision: ++this.#lastNumbers[kind] } : {};
    const { no, position, created } = stored;
    const place = position === undefined ? {} : { position };
    const meta: Cause = { id, no, ...place, ...revision, created, updated };
    list[index] = { ...fields, ...meta } as EntityOf<K>;
  }

  remove(kind: EntityKind, id: string): void {
    const lists = this.config as unknown as Record<EntityKind, Entity[]>;
    lists[kind] = lists[kind].filter((entity) => entity.id !== id);
  }

  putStreak(streak: StreakSettings): void {
    if (!isDeepStrictEqual(streak, this.config.streak)) this.config.streak = asStored(streak);
  }

  putSettings(settings: Settings): void {
    if (!isDeepStrictEqual(settings, this.config.settings)) this.config.settings = asStored(settings);
  }

  /** Makes the account the tenant with this customer's id. */
  adoptAs(customerId: string): void {
    this.config.customerId = customerId;
  }

  /**
   * Derives the counters: one for every metric, and one for every filter that an achievement, a points
   * trigger, a leaderboard or a goal uses. An unused counter stays, because its sums would be lost when the
   * filter comes back; it is removed with its metric, with an attribute that it looks at, or when the type of
   * such an attribute changes.
   */
  #deriveCounters(): void {
    const { metrics, attributes } = this.config;
    const ids = new Set([...metrics, ...attributes].map((entity) => entity.id));
    const typeOf = typesOf(this.config);
    const typeBefore = typesOf(this.before);
    this.config.counters = this.config.counters.filter(
      ({ metricId, eventAttributes, ...counting }) =>
        ids.has(metricId) &&
        eventAttributes.every(({ attributeId }) => ids.has(attributeId)) &&
        typedAttributesOf(counting).every((one) => typeOf(one) !== null && typeOf(one) === typeBefore(one)),
    );
    const { counters } = this.config;
    const known = new Set(counters.map((counter) => counterIdentity(counter.metricId, counter)));
    const need = (metricId: string, { eventAttributes, where, aggregate, per = null }: Counting): void => {
      const counting = { eventAttributes: sortFilter(eventAttributes), where, aggregate, per };
      if (known.has(counterIdentity(metricId, counting))) return;
      known.add(counterIdentity(metricId, counting));
      this.put('counters', newId(), { metricId, ...counting });
    };
    for (const metric of metrics) need(metric.id, ALL_EVENTS);
    for (const { metricId, counting } of countingItems(this.config).flatMap(countedBy))
      need(metricId, counting);
  }

  /** The difference to the stored configuration, derived counters included. */
  changes(): ConfigChanges {
    this.#deriveCounters();
    const { before, config } = this;
    const changes = ENTITY_KINDS.flatMap((kind) => changesOf(kind, before[kind], config[kind]));
    return {
      changes,
      pastCauses: pastCausesOf(before, changes),
      streak: config.streak === before.streak ? null : config.streak,
      settings: config.settings === before.settings ? null : config.settings,
      customerId: config.customerId === before.customerId ? null : config.customerId,
    };
  }
}

/** The value as PostgreSQL will return it, for example without the sign of a negative zero. */
function asStored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function copyLists(config: Config): Config {
  const lists = ENTITY_KINDS.map((kind) => [kind, [...config[kind]]]);
  return { ...config, ...(Object.fromEntries(lists) as EntityLists) };
}

function changesOf(
  kind: EntityKind,
  before: EntityOf<EntityKind>[],
  after: EntityOf<EntityKind>[],
): EntityChange[] {
  const old = new Map(before.map((entity) => [entity.id, entity]));
  const changes: EntityChange[] = [];
  for (const entity of after) {
    const stored = old.get(entity.id);
    old.delete(entity.id);
    if (stored === entity) continue;
    const { id, no } = entity;
    changes.push({ kind, id, no, action: stored ? 'update' : 'create', before: stored ?? null, entity });
  }
  for (const entity of old.values()) {
    changes.push({ kind, id: entity.id, no: entity.no, action: 'delete', before: entity, entity });
  }
  return changes;
}
