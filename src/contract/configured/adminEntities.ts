import Type from 'typebox';
import { optional } from '../adminFields.ts';
import {
  type DeclaredKind,
  KINDS,
  type Kinds,
  ofEachKind,
  PART_KINDS,
  type PartKind,
} from '../kinds/allKinds.ts';
import { type AdminResource, adminResource } from '../kinds/kindSchemas.ts';
import { named } from '../schemas.ts';

type AdminResources = { [K in DeclaredKind]: AdminResource<Kinds[K]> };

const resources = ofEachKind((kind) => adminResource(KINDS[kind])) as AdminResources;
const { create, view } = resources.pointsSystems;

/** Lists of the parts of a points system, which are created and shown with it. */
const partLists = (schemaOf: (kind: PartKind) => Type.TSchema) =>
  Object.fromEntries(PART_KINDS.map((kind) => [KINDS[kind].list, schemaOf(kind)]));

/** The schemas of what is configured, in the Admin API, by kind. */
export const ADMIN_RESOURCES: AdminResources = {
  ...resources,
  pointsSystems: {
    ...resources.pointsSystems,
    create: Type.Object({
      ...create.properties,
      ...partLists((kind) => optional(Type.Array(resources[kind].create))),
    }),
    created: named('CreatedAdminPointsSystem', {
      ...view.properties,
      ...partLists((kind) => Type.Optional(Type.Array(resources[kind].view))),
    }),
  },
};
