import { ServiceError } from '../../base/errors.ts';
import type { AdminIssue, DeletedResource, Page } from '../../contract/admin.ts';
import type { ConfigContext } from '../../engine/configuration/changeConfig.ts';
import type { Item } from '../kinds/itemsOfApi.ts';
import { issuesOf } from './entityBatch.ts';

/** Who calls the Admin API, and for which tenant. */
export interface AdminContext extends ConfigContext {
  /** Tells every server that these API keys have changed. */
  reloadKeys(ids: string[]): Promise<void>;
}

/**
 * The operations of the Admin API on one kind of thing, as src/contract/admin.ts describes them. `parent` is
 * the id of the points system that the things belong to, else null.
 */
export interface Resource {
  list?(context: AdminContext, parent: string | null, page: Page): Promise<object[]>;
  /** @throws ServiceError `notFound` */
  get?(context: AdminContext, parent: string | null, id: string): Promise<object>;
  create?(
    context: AdminContext,
    parent: string | null,
    items: Item[],
  ): Promise<{ created: object[]; issues: AdminIssue[] }>;
  update?(
    context: AdminContext,
    parent: string | null,
    items: Item[],
  ): Promise<{ updated: object[]; issues: AdminIssue[] }>;
  delete(
    context: AdminContext,
    parent: string | null,
    ids: string[],
  ): Promise<{ deleted: DeletedResource[]; issues: AdminIssue[] }>;
}

/** Lists and gets things that are read together. `missing` is the message for an unknown id. */
export const reads = <T extends { id: string }>(
  readAll: (context: AdminContext) => Promise<T[]>,
  view: (one: T) => object,
  missing: (id: string) => string,
): Required<Pick<Resource, 'list' | 'get'>> => ({
  list: async (context, _parent, { skip, limit }) =>
    (await readAll(context)).slice(skip, skip + limit).map(view),
  get: async (context, _parent, id) => {
    const found = (await readAll(context)).find((one) => one.id === id);
    if (found === undefined) throw new ServiceError('notFound', missing(id));
    return view(found);
  },
});

/** The answer to a deletion of `ids`, with what is wrong with each. */
export const deletion = (gone: { id: string }[], ids: string[], problems: string[][]) => ({
  deleted: gone.map(({ id }) => ({ id })),
  issues: issuesOf(problems, (index) => ({ id: ids[index]! })),
});
