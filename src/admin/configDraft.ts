import { isDeepStrictEqual } from 'node:util';
import { newId } from '../base/ids.ts';
import type { ConfigChanges, EntityChange, LastNumbers } from '../db/configChanges.ts';
import { ENTITY_KINDS } from '../db/configuration.ts';
import type {
  AttributeValue,
  Config,
  Entity,
  EntityKind,
  EntityLists,
  EntityOf,
  Settings,
  StreakSettings,
} from '../rules/config.ts';
import { counterIdentity } from '../rules/counters.ts';

/** What an entity says, without what identifies it. */
export type Body<T extends Entity> = Omit<T, keyof Entity>;

/** Filters are kept in one order, so that equal ones are equal. */
export function sortFilter(filter: AttributeValue[]): AttributeValue[] {
  return filter.toSorted((a, b) => (a.attributeId < b.attributeId ? -1 : a.attributeId > b.attributeId ? 1 : 0));
}

export function bodyOf<T extends Entity>(entity: T): Body<T> {
  const { id: _id, no: _no, created: _created, updated: _updated, ...body } = entity;
  return body;
}

/** The numbers that the entities of a configuration show: enough as long as none has been deleted. */
export function highestNumbers(config: Config): LastNumbers {
  return Object.fromEntries(
    ENTITY_KINDS.map((kind) => [kind, Math.max(0, ...config[kind].map((entity) => entity.no))]),
  ) as LastNumbers;
}

/** A state of a draft to go back to. */
interface SavedDraft {
  config: Config;
  lastNumbers: LastNumbers;
}

/** A configuration that is being changed. What is put as it was stays the same object, and so is no change. */
export class ConfigDraft {
  readonly config: Config;
  readonly #before: Config;
  #lastNumbers: LastNumbers;
  readonly #now: string;

  constructor(current: Config, now: number, lastNumbers: LastNumbers = highestNumbers(current)) {
    this.#before = current;
    this.#lastNumbers = { ...lastNumbers };
    this.#now = new Date(now).toISOString();
    this.config = copyLists(current);
  }

  save(): SavedDraft {
    return { config: copyLists(this.config), lastNumbers: { ...this.#lastNumbers } };
  }

  /** Undoes what was done since; a saved state serves once. */
  restore({ config, lastNumbers }: SavedDraft): void {
    Object.assign(this.config, config);
    this.#lastNumbers = lastNumbers;
  }

  /** Creates the entity with this id, or changes it to say this. */
  put<K extends EntityKind>(kind: K, id: string, body: Body<EntityOf<K>>): void {
    const list = this.config[kind] as EntityOf<K>[];
    // As it will come back from PostgreSQL: without the sign of a zero.
    const fields = JSON.parse(JSON.stringify(body)) as Body<EntityOf<K>>;
    const index = list.findIndex((entity) => entity.id === id);
    if (index === -1) {
      this.#lastNumbers[kind]++;
      const meta: Entity = { id, no: this.#lastNumbers[kind], created: this.#now, updated: this.#now };
      list.push({ ...fields, ...meta } as EntityOf<K>);
      return;
    }
    const stored = list[index]!;
    if (isDeepStrictEqual(bodyOf(stored), fields)) return;
    const meta: Entity = { id, no: stored.no, created: stored.created, updated: this.#now };
    list[index] = { ...fields, ...meta } as EntityOf<K>;
  }

  remove(kind: EntityKind, id: string): void {
    const lists = this.config as unknown as Record<EntityKind, Entity[]>;
    lists[kind] = lists[kind].filter((entity) => entity.id !== id);
  }

  putStreak(streak: StreakSettings): void {
    if (!isDeepStrictEqual(streak, this.config.streak)) this.config.streak = streak;
  }

  putSettings(settings: Settings): void {
    if (!isDeepStrictEqual(settings, this.config.settings)) this.config.settings = settings;
  }

  /**
   * Counters are derived: every metric has one of its own, and every filter that an achievement or a points trigger
   * uses has one. One that is not used stays, because the sums in it would be lost when the filter comes back; it goes
   * with its metric, or an attribute of its filter.
   */
  deriveCounters(): void {
    const { metrics, attributes, achievements, pointsTriggers } = this.config;
    const ids = new Set([...metrics, ...attributes].map((entity) => entity.id));
    this.config.counters = this.config.counters.filter(
      ({ metricId, eventAttributes }) =>
        ids.has(metricId) && eventAttributes.every(({ attributeId }) => ids.has(attributeId)),
    );
    const { counters } = this.config;
    const known = new Set(counters.map((counter) => counterIdentity(counter.metricId, counter.eventAttributes)));
    const need = (metricId: string | null, filter: AttributeValue[]): void => {
      if (metricId === null || known.has(counterIdentity(metricId, filter))) return;
      known.add(counterIdentity(metricId, filter));
      this.put('counters', newId(), { metricId, eventAttributes: sortFilter(filter) });
    };
    for (const metric of metrics) need(metric.id, []);
    for (const { metricId, eventAttributes } of [...achievements, ...pointsTriggers]) need(metricId, eventAttributes);
  }

  /** The difference to the configuration that the draft began with. */
  changes(): ConfigChanges {
    const before = this.#before;
    const { config } = this;
    return {
      changes: ENTITY_KINDS.flatMap((kind) => changesOf(kind, before[kind], config[kind])),
      streak: config.streak === before.streak ? null : config.streak,
      settings: config.settings === before.settings ? null : config.settings,
    };
  }
}

function copyLists(config: Config): Config {
  const lists = ENTITY_KINDS.map((kind) => [kind, [...config[kind]]]);
  return { ...config, ...(Object.fromEntries(lists) as EntityLists) };
}

function changesOf(kind: EntityKind, before: EntityOf<EntityKind>[], after: EntityOf<EntityKind>[]): EntityChange[] {
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
