import Type, { type TSchema } from 'typebox';
import { Uuid } from '../schemas.ts';
import { defaultField, optional } from './fields.ts';
import type { Prerequisites } from './prerequisites.ts';

/** Achievements that must be completed: all of a list, or at least some. */
function prerequisitesSchema(name: 'Key' | 'Id', item: TSchema, description: string) {
  const list = Type.Array(item, { description });
  const some = Type.Object(
    {
      atLeast: Type.Integer({ description: 'How many of them.' }),
      of: Type.Array(item, { description: `${name}s of the achievements.` }),
    },
    { additionalProperties: false },
  );
  return Type.Unsafe<Prerequisites>({ ...Type.Union([list, some]), description });
}

export const prerequisites = (description: string) =>
  defaultField<Prerequisites>()({
    type: 'prerequisites',
    description,
    of: 'achievements',
    inFile: (text) => Type.Optional(prerequisitesSchema('Key', Type.String(), `Keys of ${text}`)),
    given: (text) => optional(prerequisitesSchema('Id', Type.String(), `Ids of ${text}`)),
    shown: prerequisitesSchema('Id', Uuid, ''),
    default: [],
  });
