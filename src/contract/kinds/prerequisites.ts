import Type, { type TSchema } from 'typebox';
import { Uuid } from '../schemas.ts';
import { defaultField, optional } from './fields.ts';

/** Ids of achievements that are all required, or how many of them are. */
export type Prerequisites = string[] | { atLeast: number; of: string[] };

/** The achievements of which an achievement requires some, and how many of them; all without `atLeast`. */
export function prerequisitesOf({ achievementIds }: { achievementIds: Prerequisites }): {
  ids: string[];
  needed: number;
} {
  if (Array.isArray(achievementIds)) return { ids: achievementIds, needed: achievementIds.length };
  return { ids: achievementIds.of, needed: achievementIds.atLeast };
}

/** The same with other ids, or keys. */
export function renamed(
  achievementIds: Prerequisites,
  rename: (id: string, index: number) => string,
): Prerequisites {
  if (Array.isArray(achievementIds)) return achievementIds.map(rename);
  return { atLeast: achievementIds.atLeast, of: achievementIds.of.map(rename) };
}

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
