import { newId } from '../../base/ids.ts';
import type { AdminIssue } from '../../contract/admin.ts';
import { changeConfig, readConfig } from '../../engine/configuration/changeConfig.ts';
import type { Config, EntityKind } from '../../rules/config.ts';
import { attemptAll, issuesOf, type Step } from './entityBatch.ts';
import { type EntityForm, entitiesOf, findEntity, missing, surroundingsOf } from './entityForm.ts';
import { putChanged, putNew } from './entityItems.ts';
import { planDeletion } from './inUse.ts';
import { NOUNS } from './nouns.ts';
import type { AdminContext, Item, Resource } from './resource.ts';

/** The Admin API of one kind of entity: all of a tenant, or those of one points system. */
export function configResource<K extends EntityKind>(form: EntityForm<K>): Resource {
  const { kind } = form;
  return {
    list: async (context, parent, { skip, limit }) => {
      const config = await readConfig(context);
      const shown = entitiesOf(config, kind, parent).slice(skip, skip + limit);
      return shown.map((entity) => form.view(entity, surroundingsOf(config, context.now)));
    },
    get: async (context, parent, id) => {
      const config = await readConfig(context);
      return form.view(findEntity(config, kind, id, parent), surroundingsOf(config, context.now));
    },
    create: (context, parent, items) => createEntities(form, context, parent, items),
    update: (context, parent, items) => updateEntities(form, context, parent, items),
    delete: (context, parent, ids) => deleteEntities(kind, context, parent, ids),
  };
}

async function createEntities<K extends EntityKind>(
  form: EntityForm<K>,
  context: AdminContext,
  parent: string | null,
  items: Item[],
): Promise<{ created: object[]; issues: AdminIssue[] }> {
  const ids = items.map(newId);
  const { edited: problems, config } = await changeConfig(context, {
    edit: (draft) => {
      // Refuses an unknown points system.
      entitiesOf(draft.config, form.kind, parent);
      const steps = items.map(
        (item, index): Step =>
          (pathOf) => {
            putNew(draft, form, { id: ids[index]!, parent, item, path: '' }, pathOf);
            return null;
          },
      );
      return attemptAll(draft, steps);
    },
  });
  return {
    created: viewsOf(
      form.kind,
      config,
      withoutProblems(ids, problems),
      context.now,
      form.viewCreated ?? form.view,
    ),
    issues: issuesOf(problems, (index) => ({ index })),
  };
}

async function updateEntities<K extends EntityKind>(
  form: EntityForm<K>,
  context: AdminContext,
  parent: string | null,
  items: Item[],
): Promise<{ updated: object[]; issues: AdminIssue[] }> {
  const { kind } = form;
  const { edited: problems, config } = await changeConfig(context, {
    edit: (draft) => {
      const known = new Set(entitiesOf(draft.config, kind, parent).map(({ id }) => id));
      const steps = items.map(
        (item): Step =>
          (pathOf) => {
            if (!known.has(item.id)) return missing(kind, item.id);
            putChanged(draft, form, item);
            pathOf.set(item.id, '');
            return null;
          },
      );
      return attemptAll(draft, steps);
    },
  });
  const ids = items.map(({ id }) => id);
  return {
    updated: viewsOf(kind, config, withoutProblems(ids, problems), context.now, form.view),
    issues: issuesOf(problems, (index) => ({ ...nameEntity(kind, ids[index]), index })),
  };
}

async function deleteEntities(
  kind: EntityKind,
  context: AdminContext,
  parent: string | null,
  ids: string[],
): Promise<{ deleted: { id: string }[]; issues: AdminIssue[] }> {
  const { edited: problems } = await changeConfig(context, {
    edit: (draft) => {
      const known = new Set(entitiesOf(draft.config, kind, parent).map(({ id }) => id));
      const { entities, inUse } = planDeletion(
        draft.config,
        kind,
        ids.filter((id) => known.has(id)),
      );
      for (const entity of entities) draft.remove(entity.kind, entity.id);
      return ids.map((id) => {
        if (!known.has(id)) return [missing(kind, id)];
        const users = inUse.get(id);
        return users ? [`This ${NOUNS[kind]} is used by ${users.join(', ')}`] : [];
      });
    },
  });
  const deleted = new Set(withoutProblems(ids, problems));
  return {
    deleted: [...deleted].map((id) => ({ id })),
    issues: issuesOf(problems, (index) => nameEntity(kind, ids[index]!)),
  };
}

const withoutProblems = (ids: string[], problems: string[][]): string[] =>
  ids.filter((_, index) => problems[index]!.length === 0);

function viewsOf<K extends EntityKind>(
  kind: K,
  config: Config,
  ids: string[],
  now: number,
  view: EntityForm<K>['view'],
): object[] {
  const at = surroundingsOf(config, now);
  return ids.map((id) => view(findEntity(config, kind, id), at));
}

/** How issues name an entity. The published API also names boosts `boostId`. */
const nameEntity = (kind: EntityKind, id: string): Partial<AdminIssue> => ({
  id,
  ...(kind === 'pointsBoosts' && { boostId: id }),
});
