import type { AdminIssue, DeletedResource, Page } from '../contract/admin.ts';
import type { AdminContext } from './editConfig.ts';

/** An item as a request holds it, of the shape that the resource's schema says. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of the operation has checked it
export type Item = any;

/**
 * What the Admin API can do with one kind of thing; each operation of the pattern in src/contract/admin.ts is one of these.
 * `parent` is the id of what it belongs to, null where it stands alone.
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
