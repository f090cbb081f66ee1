import Type from 'typebox';
import { BATCH_ITEMS_MAX } from '../base/limits.ts';
import { type Operation, operation, type TAGS } from './operation.ts';
import { integer, named, text, Uuid } from './schemas.ts';

/**
 * The pattern of the Admin API: a request holds a batch of items, the answer holds what was done and the
 * issues of the other items.
 */

const PAGE_ITEMS_MAX = 100;
/** Items that a page may come after; more than any list has. */
const SKIP_MAX = 1_000_000_000;
/** Bounds of a list of items. */
export const BATCH = { minItems: 1, maxItems: BATCH_ITEMS_MAX };

export const AdminIssue = named('AdminIssue', {
  id: Type.Optional(text('Id that the item names.')),
  userId: Type.Optional(text('Id of the user that the item names.')),
  boostId: Type.Optional(text('Same as `id`, for boosts.')),
  index: Type.Optional(integer('Index of the item in the request, from 0.')),
  severity: Type.Enum(['error', 'warning'], { description: '`error`: the item was not carried out.' }),
  message: text('Names the field and says what would be right.'),
});
export type AdminIssue = Type.Static<typeof AdminIssue>;

export const DeletedResource = named('DeletedResource', { id: Uuid });
export type DeletedResource = Type.Static<typeof DeletedResource>;

export const issues = Type.Array(AdminIssue, { examples: [[]] });

export const pageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: PAGE_ITEMS_MAX, default: 10 }),
  skip: Type.Integer({ minimum: 0, maximum: SKIP_MAX, default: 0 }),
});
export type Page = Type.Static<typeof pageQuery>;

export const idsQuery = Type.Object({
  ids: Type.Array(Uuid, { ...BATCH, description: 'Repeat the parameter for each id.' }),
});

/** Schemas of one kind of resource. A resource has an operation only if its schema is given. */
export interface ResourceSchemas {
  /** In the names of its operations: `adminListMetrics`. */
  name: string;
  /** Below the base of the Admin API. */
  path: `/${string}`;
  tag: keyof typeof TAGS;
  /** Words for summaries: "attribute", "attributes". */
  one: string;
  many: string;
  /** Ids of what it belongs to, which come before its own in the path. */
  parent?: Record<string, Type.TSchema>;
  view?: Type.TObject;
  create?: Type.TObject;
  /** Answer of creating, if it shows more than the view, such as a key that is shown once. */
  created?: Type.TObject;
  update?: Type.TObject;
  /** Valid items to create. */
  examples?: object[];
  scope?: 'account';
  isPublished?: boolean;
  /** Replaces "Delete" in summaries if nothing is lost. */
  deleteVerb?: string;
}

export interface ResourceOperations {
  list?: Operation;
  get?: Operation;
  create?: Operation;
  update?: Operation;
  delete: Operation;
}

/** The operations of a resource. They follow the same pattern for all resources. */
export function resourceOperations(schemas: ResourceSchemas): ResourceOperations {
  const { name, path, tag, one, many, parent = {}, view, create, created = view, update, examples } = schemas;
  const { scope, isPublished = false, deleteVerb = 'Delete' } = schemas;
  const hasParent = Object.keys(parent).length > 0;
  const common = {
    tag,
    ...(scope && { scope }),
    isPublished,
    ...(hasParent && { path: Type.Object(parent) }),
  } as const;
  return {
    ...(view && {
      list: operation({
        name: `list${name}`,
        route: `GET ${path}`,
        ...common,
        summary: `List ${many}`,
        query: pageQuery,
        responses: { 200: Type.Array(view) },
      }),
      get: operation({
        name: `get${name}`,
        route: `GET ${path}/{id}`,
        ...common,
        summary: `Get one of the ${many}`,
        path: Type.Object({ ...parent, id: Uuid }),
        responses: { 200: view },
      }),
    }),
    ...(create &&
      created && {
        create: operation({
          name: `create${name}`,
          route: `POST ${path}`,
          ...common,
          summary: `Create ${many}`,
          description: `Each ${one} is created or gets an issue. The status is 201 if any was created, else 200.`,
          request: Type.Array(create, { ...BATCH, ...(examples && { examples: [examples] }) }),
          responses: {
            200: Type.Object({ created: Type.Array(created), issues }),
            201: Type.Object({ created: Type.Array(created), issues }),
          },
        }),
      }),
    ...(view &&
      update && {
        update: operation({
          name: `update${name}`,
          route: `PATCH ${path}`,
          ...common,
          summary: `Update ${many}`,
          description: 'A passed field replaces the stored value, null clears it, an absent field stays.',
          request: Type.Array(update, BATCH),
          responses: { 200: Type.Object({ updated: Type.Array(view), issues }) },
        }),
      }),
    delete: operation({
      name: `delete${name}`,
      route: `DELETE ${path}`,
      ...common,
      summary: `${deleteVerb} ${many}`,
      query: idsQuery,
      responses: { 200: Type.Object({ deleted: Type.Array(DeletedResource), issues }) },
    }),
  };
}

/** The same for a resource that is part of the configuration, whose version they show or check. */
export function configuredOperations(schemas: ResourceSchemas): ResourceOperations {
  const operations = Object.entries(resourceOperations(schemas)).map(([verb, made]: [string, Operation]) => {
    const version = verb === 'update' || verb === 'delete' ? 'checked' : 'shown';
    return [verb, { ...made, version }];
  });
  return Object.fromEntries(operations);
}
