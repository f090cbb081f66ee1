import Type from 'typebox';
import { type Operation, operation, type TAGS } from './operation.ts';
import { Uuid } from './schemas.ts';

/** The pattern of the Admin API: batches of items in, what was done and what is wrong with the others out. */

export const BATCH_ITEMS_MAX = 100;
const PAGE_ITEMS_MAX = 100;
/** How many items a list of them may have. */
export const BATCH = { minItems: 1, maxItems: BATCH_ITEMS_MAX };

export const AdminIssue = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'Of the thing that the item names.' })),
    userId: Type.Optional(Type.String({ description: 'Of the user whom the item names.' })),
    boostId: Type.Optional(Type.String({ description: 'The same as `id`, for boosts.' })),
    index: Type.Optional(Type.Integer({ description: 'Of the item in the request, from 0.' })),
    severity: Type.Enum(['error', 'warning'], { description: 'An item with an error is not carried out.' }),
    message: Type.String({ description: 'Names the field at fault and what would be right.' }),
  },
  { $id: 'AdminIssue' },
);
export type AdminIssue = Type.Static<typeof AdminIssue>;

export const DeletedResource = Type.Object({ id: Uuid }, { $id: 'DeletedResource' });
export type DeletedResource = Type.Static<typeof DeletedResource>;

export const issues = Type.Array(AdminIssue);

export const pageQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: PAGE_ITEMS_MAX, default: 10 }),
  skip: Type.Integer({ minimum: 0, default: 0 }),
});
export type Page = Type.Static<typeof pageQuery>;

export const idsQuery = Type.Object({
  ids: Type.Array(Uuid, { ...BATCH, description: 'Repeated for each.' }),
});

/** What one kind of resource takes and shows. Without one of the items, it has no such operation. */
export interface ResourceSchemas {
  tag: keyof typeof TAGS;
  /** In summaries: "attribute", "attributes". */
  one: string;
  many: string;
  /** Ids of what it belongs to, in its path before its own. */
  parent?: Record<string, Type.TSchema>;
  view?: Type.TObject;
  create?: Type.TObject;
  /** Where it shows more than the view, such as a key that is shown once. */
  created?: Type.TObject;
  update?: Type.TObject;
  /** Items that may be created. */
  examples?: object[];
  isOfAccount?: boolean;
  /** In the place of "delete", where nothing is lost. */
  deleteVerb?: string;
}

export interface ResourceOperations {
  list?: Operation;
  get?: Operation;
  create?: Operation;
  update?: Operation;
  delete: Operation;
}

/** The operations of a resource, each the same for all of them. */
export function resourceOperations(schemas: ResourceSchemas): ResourceOperations {
  const {
    tag,
    one,
    many,
    parent = {},
    view,
    create,
    created = view,
    update,
    examples,
    isOfAccount = false,
    deleteVerb = 'Delete',
  } = schemas;
  const hasParent = Object.keys(parent).length > 0;
  const common = {
    tag,
    access: 'admin',
    isOfAccount,
    mayMiss: hasParent,
    ...(hasParent && { path: Type.Object(parent) }),
  } as const;
  return {
    ...(view && {
      list: operation({
        ...common,
        summary: `List ${many}`,
        query: pageQuery,
        responses: { 200: Type.Array(view) },
      }),
      get: operation({
        ...common,
        summary: `Get one of the ${many}`,
        path: Type.Object({ ...parent, id: Uuid }),
        responses: { 200: view },
        mayMiss: true,
      }),
    }),
    ...(create &&
      created && {
        create: operation({
          ...common,
          summary: `Create ${many}`,
          description: `Each ${one} is created or has an issue. 201 when any was created, else 200.`,
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
          ...common,
          summary: `Update ${many}`,
          description: 'What is passed replaces, null clears, what is absent stays.',
          request: Type.Array(update, BATCH),
          responses: { 200: Type.Object({ updated: Type.Array(view), issues }) },
        }),
      }),
    delete: operation({
      ...common,
      summary: `${deleteVerb} ${many}`,
      query: idsQuery,
      responses: { 200: Type.Object({ deleted: Type.Array(DeletedResource), issues }) },
    }),
  };
}
