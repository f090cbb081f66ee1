import Type from 'typebox';
import { nullable, Uuid } from './schemas.ts';

/**
 * Fields of what is configured, as the Admin API takes and shows them. The schemas hold names, types and choices; what the
 * values must be is in src/admin/configRules.ts, which the configuration file shares, so that one wrong item of a batch
 * does not stop the others.
 */

export const optional = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema));
export const Text = Type.String();
/** The rules say that it must be whole, with the field's name. */
export const Whole = Type.Number();

/** May be passed as it is. */
export const fixed = <T extends Type.TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Type.Static<T>>({ ...schema, description: 'Cannot be changed.' }));

export const AttributeFilter = Type.Array(Type.Object({ attributeId: Text, attributeValue: Text }), {
  description: 'All must match.',
});

/** Every field of an update is optional but the id. */
export const updateOf = <T extends Record<string, Type.TSchema>>(fields: T) =>
  Type.Object({ id: Uuid, ...Type.Partial(Type.Object(fields)).properties });
