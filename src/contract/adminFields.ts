import Type from 'typebox';
import { nullable, Uuid } from './schemas.ts';

/**
 * Fields of what is configured, as the Admin API takes and shows them. The schemas hold names, types and choices; what the
 * values must be is in src/admin/configRules.ts, which the configuration file shares, so that one wrong item of a batch
 * does not stop the others.
 */

export const optional = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema));
export const Text = Type.String();

const described = (description: string) => Type.String({ description });
export const Name = described('Up to 255 characters.');
export const Key = described('Letters, digits, `-` and `_`, up to 255 characters. Unique among its kind.');
export const Badge = described('URL of an image.');
export const StartDate = described('YYYY-MM-DD, the first day.');
export const EndDate = described('YYYY-MM-DD, the last day.');
export const TimeOfDay = described('HH:MM or HH:MM:SS, where the user is.');
export const idOf = (thing: string) => described(`Id of ${thing}.`);

/** Of what examples refer to: it takes the place of the ids of your own. */
export const EXAMPLE_ID = '0199d2a5-7c1e-7000-8000-000000000001';

/** May be passed as it is. */
export const fixed = <T extends Type.TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Type.Static<T>>({ ...schema, description: 'Cannot be changed.' }));

export const AttributeFilter = Type.Array(Type.Object({ attributeId: Text, attributeValue: Text }), {
  description: 'All must match.',
});

/** Every field of an update is optional but the id. */
export const updateOf = <T extends Record<string, Type.TSchema>>(fields: T) =>
  Type.Object({ id: Uuid, ...Type.Partial(Type.Object(fields)).properties });
