import Type from 'typebox';
import { nullable, Uuid } from './schemas.ts';

/** The item that an entry of the audit log is about, as it is called now. */
export const ChangedItem = Type.Object(
  {
    kind: Type.String({ description: 'As `kind` of the entries about the item itself.' }),
    id: Uuid,
    name: nullable(Type.String({ description: 'null for a trigger, which has no name.' })),
    systemId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Id of the points system of a level, a trigger or a boost.',
      }),
    ),
  },
  { $id: 'ChangedItem' },
);
export type ChangedItem = Type.Static<typeof ChangedItem>;
