import { ServiceError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { AdminIssue, ResourceSchemas } from '../contract/admin.ts';
import { loadConfig } from '../db/configuration.ts';
import { localTime } from '../rules/calendar.ts';
import type { Config, EntityKind, EntityOf } from '../rules/config.ts';
import { attemptAll, issuesOf, NOUNS, type Step } from './batch.ts';
import { type Body, bodyOf } from './configDraft.ts';
import { type CheckedDraft, editConfig } from './editConfig.ts';
import { planDeletion } from './inUse.ts';
import type { Item, Resource } from './resource.ts';

/** What the views and bodies of entities depend on besides themselves. */
export interface Surroundings {
  config: Config;
  /** Milliseconds since 1970. */
  now: number;
  /** Day ordinal of the tenant's default zone. */
  today: number;
}

/** How one kind of entity appears in the Admin API. */
export interface EntityForm<K extends EntityKind> {
  kind: K;
  schemas: Required<Pick<ResourceSchemas, 'create' | 'update'>>;
  /** What a field holds when nobody says: fields that are not here must be given. */
  defaults: (surroundings: Surroundings) => Partial<Body<EntityOf<K>>>;
  /** Fields whose form in a request is not that of the entity; null has been given where nothing is meant. */
  read?: Record<string, (value: Item, surroundings: Surroundings) => Partial<Body<EntityOf<K>>>>;
  /** What follows from fields that were given, for those that were not. */
  complete?: (
    body: Body<EntityOf<K>>,
    given: Partial<Body<EntityOf<K>>>,
    before: Body<EntityOf<K>> | null,
    surroundings: Surroundings,
  ) => Body<EntityOf<K>>;
  view: (entity: EntityOf<K>, surroundings: Surroundings) => object;
  /** Shown when it is created, and never again. */
  viewCreated?: (entity: EntityOf<K>, surroundings: Surroundings) => object;
  /** Lists in an item that is created whose items are entities that belong to it. */
  parts?: Record<string, AnyForm>;
}

// biome-ignore lint/suspicious/noExplicitAny: forms of any kind, each consistent in itself
type AnyForm = EntityForm<any>;

export function surroundingsOf(config: Config, now: number): Surroundings {
  return { config, now, today: localTime(config.settings.defaultTimeZone, now).day };
}

/** The Admin API of one kind of entity: of all of a tenant, or of those that belong to a points system. */
export function configResource<K extends EntityKind>(form: EntityForm<K>): Resource {
  const { kind } = form;
  const view = (draft: CheckedDraft, id: string, show: (entity: EntityOf<K>, at: Surroundings) => object): object => {
    const entity = (draft.config[kind] as EntityOf<K>[]).find((candidate) => candidate.id === id)!;
    return show(entity, surroundingsOf(draft.config, draft.now));
  };

  return {
    list: async ({ pool, tenant, now }, parent, { skip, limit }) => {
      const config = await loadConfig(pool, tenant);
      const shown = entitiesOf(config, kind, parent).slice(skip, skip + limit);
      return shown.map((entity) => form.view(entity, surroundingsOf(config, now)));
    },

    get: async ({ pool, tenant, now }, parent, id) => {
      const config = await loadConfig(pool, tenant);
      return form.view(findEntity(config, kind, id, parent), surroundingsOf(config, now));
    },

    create: (context, parent, items) =>
      editConfig(context, (draft) => {
        entitiesOf(draft.config, kind, parent);
        const ids = items.map(newId);
        const steps = items.map(
          (item, index): Step =>
            (placeOf) => {
              putNew(draft, form, ids[index]!, parent, item, '', placeOf);
              return null;
            },
        );
        const problems = attemptAll(draft, steps);
        const created = ids.filter((_, index) => problems[index]!.length === 0);
        return {
          created: created.map((id) => view(draft, id, form.viewCreated ?? form.view)),
          issues: issuesOf(problems, (index) => ({ index })),
        };
      }),

    update: (context, parent, items) =>
      editConfig(context, (draft) => {
        const known = new Set(entitiesOf(draft.config, kind, parent).map(({ id }) => id));
        const steps = items.map(
          (item): Step =>
            (placeOf) => {
              if (!known.has(item.id)) return missing(kind, item.id);
              putChanged(draft, form, item);
              placeOf.set(item.id, '');
              return null;
            },
        );
        const problems = attemptAll(draft, steps);
        const updated = items.filter((_, index) => problems[index]!.length === 0);
        return {
          updated: updated.map((item) => view(draft, item.id, form.view)),
          issues: issuesOf(problems, (index) => ({ ...nameEntity(kind, items[index].id), index })),
        };
      }),

    delete: (context, parent, ids) =>
      editConfig(context, (draft) => {
        const known = new Set(entitiesOf(draft.config, kind, parent).map(({ id }) => id));
        const { entities, inUse } = planDeletion(
          draft.config,
          kind,
          ids.filter((id) => known.has(id)),
        );
        for (const entity of entities) draft.remove(entity.kind, entity.id);
        const problems = ids.map((id) => {
          if (!known.has(id)) return [missing(kind, id)];
          const users = inUse.get(id);
          return users ? [`This ${NOUNS[kind]} is used by ${users.join(', ')}`] : [];
        });
        const deleted = new Set(ids.filter((_, index) => problems[index]!.length === 0));
        return {
          deleted: [...deleted].map((id) => ({ id })),
          issues: issuesOf(problems, (index) => nameEntity(kind, ids[index]!)),
        };
      }),
  };
}

/** How issues name an entity; the published reference has a name of its own for boosts. */
const nameEntity = (kind: EntityKind, id: string): Partial<AdminIssue> => ({
  id,
  ...(kind === 'pointsBoosts' && { boostId: id }),
});

const missing = (kind: EntityKind, id: string): string => `There is no ${NOUNS[kind]} ${id}`;

/** @throws ServiceError `notFound` when the points system `parent` does not exist */
function entitiesOf<K extends EntityKind>(config: Config, kind: K, parent: string | null): EntityOf<K>[] {
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

/** What an item says about the fields that its schema has. */
function readItem(
  form: AnyForm,
  schema: keyof AnyForm['schemas'],
  item: Item,
  at: Surroundings,
): Partial<Body<EntityOf<EntityKind>>> {
  const given: Record<string, unknown> = {};
  const defaults = form.defaults(at) as Record<string, unknown>;
  for (const name of Object.keys(form.schemas[schema].properties)) {
    const value = item[name];
    if (value === undefined || name === 'id' || form.parts?.[name]) continue;
    const read = form.read?.[name];
    if (read) Object.assign(given, read(value, at));
    else given[name] = value === null ? defaults[name] : value;
  }
  return given;
}

function putNew(
  draft: CheckedDraft,
  form: AnyForm,
  id: string,
  parent: string | null,
  item: Item,
  place: string,
  placeOf: Map<string, string>,
): void {
  const at = surroundingsOf(draft.config, draft.now);
  const given = readItem(form, 'create', item, at);
  const body = { ...form.defaults(at), ...given, ...(parent !== null && { systemId: parent }) };
  draft.put(form.kind, id, form.complete?.(body, given, null, at) ?? body);
  placeOf.set(id, place);
  for (const [name, part] of Object.entries(form.parts ?? {})) {
    item[name]?.forEach((child: Item, index: number) => {
      putNew(draft, part, newId(), id, child, `${place}${name}[${index}].`, placeOf);
    });
  }
}

function putChanged(draft: CheckedDraft, form: AnyForm, item: Item): void {
  const at = surroundingsOf(draft.config, draft.now);
  const stored = draft.config[form.kind as EntityKind].find(({ id }) => id === item.id)!;
  const before = bodyOf(stored);
  const given = readItem(form, 'update', item, at);
  const body = { ...before, ...given };
  draft.put(form.kind, item.id, form.complete?.(body, given, before, at) ?? body);
}

/** The parts of an entity as they are shown. */
export function viewParts(form: AnyForm, systemId: string, at: Surroundings): object[] {
  return entitiesOf(at.config, form.kind as EntityKind, systemId).map((part) => form.view(part, at));
}
