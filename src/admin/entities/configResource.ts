import { newId } from '../../base/ids.ts';
import type { AdminIssue } from '../../contract/admin.ts';
import { type DeclaredKind, nounOf } from '../../contract/kinds/allKinds.ts';
import { changeConfig, readConfig } from '../../engine/configuration/changeConfig.ts';
import type { Config } from '../../rules/config.ts';
import { entitiesOf, findEntity, missing, surroundingsOf } from '../kinds/findEntity.ts';
import type { Item } from '../kinds/itemsOfApi.ts';
import { attemptAll, issuesOf, type Step } from './entityBatch.ts';
import { putChanged, putNew, viewCreated, viewOf } from './entityItems.ts';
import { planDeletion } from './inUse.ts';
import type { AdminContext, Resource } from './resource.ts';

/** The Admin API of one kind of entity: all of a tenant, or those of one points system. */
export function configResource(kind: DeclaredKind): Resource {
  return {
    list: async (context, parent, { skip, limit }) => {
      const config = await readConfig(context);
      const shown = entitiesOf(config, kind, parent).slice(skip, skip + limit);
      return shown.map((entity) => viewOf(kind, entity, surroundingsOf(config, context.now)));
    },
    get: async (context, parent, id) => {
      const config = await readConfig(context);
      return viewOf(kind, findEntity(config, kind, id, parent), surroundingsOf(config, context.now));
    },
    create: (context, parent, items) => createEntities(kind, context, parent, items),
    update: (context, parent, items) => updateEntities(kind, context, parent, items),
    delete: (context, parent, ids) => deleteEntities(kind, context, parent, ids),
  };
}

async function createEntities(
  kind: DeclaredKind,
  context: AdminContext,
  parent: string | null,
  items: Item[],
): Promise<{ created: object[]; issues: AdminIssue[] }> {
  const ids = items.map(newId);
  const { edited: problems, config } = await changeConfig(context, {
    edit: (draft) => {
      // Refuses an unknown points system.
      entitiesOf(draft.config, kind, parent);
      const steps = items.map(
        (item, index): Step =>
          (pathOf) => {
            putNew(draft, kind, { id: ids[index]!, parent, item, path: '' }, pathOf);
            return null;
          },
      );
      return attemptAll(draft, steps);
    },
  });
  return {
    created: viewsOf(kind, config, withoutProblems(ids, problems), context.now, viewCreated),
    issues: issuesOf(problems, (index) => ({ index })),
  };
}

async function updateEntities(
  kind: DeclaredKind,
  context: AdminContext,
  parent: string | null,
  items: Item[],
): Promise<{ updated: object[]; issues: AdminIssue[] }> {
  const { edited: problems, config } = await changeConfig(context, {
    edit: (draft) => {
      const known = new Set(entitiesOf(draft.config, kind, parent).map(({ id }) => id));
      const steps = items.map(
        (item): Step =>
          (pathOf) => {
            if (!known.has(item.id)) return missing(kind, item.id);
            putChanged(draft, kind, item);
            pathOf.set(item.id, '');
            return null;
          },
      );
      return attemptAll(draft, steps);
    },
  });
  const ids = items.map(({ id }) => id);
  return {
    updated: viewsOf(kind, config, withoutProblems(ids, problems), context.now, viewOf),
    issues: issuesOf(problems, (index) => ({ ...nameEntity(kind, ids[index]), index })),
  };
}

async function deleteEntities(
  kind: DeclaredKind,
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
        return users ? [`This ${nounOf(kind)} is used by ${users.join(', ')}`] : [];
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

function viewsOf(
  kind: DeclaredKind,
  config: Config,
  ids: string[],
  now: number,
  view: typeof viewOf,
): object[] {
  const at = surroundingsOf(config, now);
  return ids.map((id) => view(kind, findEntity(config, kind, id), at));
}

/** How issues name an entity. The published API also names boosts `boostId`. */
const nameEntity = (kind: DeclaredKind, id: string): Partial<AdminIssue> => ({
  id,
  ...(kind === 'pointsBoosts' && { boostId: id }),
});
