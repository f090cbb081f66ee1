import type { AdminIssue, DeletedResource, Page } from '../../contract/admin.ts';
import type { ConfigContext } from '../../engine/configuration/changeConfig.ts';

/** Who calls the Admin API, and for which tenant. */
export interface AdminContext extends ConfigContext {
  /** Tells every server that these API keys have changed. */
  reloadKeys(ids: string[]): Promise<void>;
}

/** An item of a request, valid by the resource's schema. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of the operation has checked it
export type Item = any;

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
