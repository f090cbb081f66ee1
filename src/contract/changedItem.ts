import Type from 'typebox';
import { named, nullable, text, Uuid, uuid } from './schemas.ts';

/** The item that a change was about, as it is called now. */
export const ChangedItem = named('ChangedItem', {
  kind: text('As `kind` of the entries about the item itself.'),
  id: Uuid,
  name: nullable(text('null for a trigger, which has no name.')),
  systemId: Type.Optional(uuid('Id of the points system of a level, a trigger or a boost.')),
});
export type ChangedItem = Type.Static<typeof ChangedItem>;
