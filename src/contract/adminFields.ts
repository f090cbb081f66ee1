import Type from 'typebox';
import { TEXT_CHARS_MAX } from '../base/limits.ts';
import { nullable, Uuid } from './schemas.ts';

/**
 * Fields of the configuration in the Admin API. The schemas hold names, types and choices.
 * src/admin/entities/configRules.ts checks the values item by item, so one wrong item of a batch does not
 * stop the others. The configuration file shares these rules.
 */

export const optional = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema));
export const Text = Type.String();

const described = (description: string) => Type.String({ description });
export const Name = described('Up to 255 characters.');
export const KEY_MEANING = 'Letters, digits, `-` and `_`, up to 255 characters. Unique among its kind.';
export const Key = described(KEY_MEANING);
export const Badge = nullable(Type.Object({ url: described('URL of an image.') }, { $id: 'AdminBadge' }));
export const StartDate = described('First day, YYYY-MM-DD.');
export const EndDate = described('Last day, YYYY-MM-DD.');
export const TimeOfDay = described('HH:MM or HH:MM:SS in the time zone of the user.');
export const idOf = (thing: string) => described(`Id of ${thing}.`);

const reason = (description: string) => Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, description });
/** Why an administrator changes something: of a user, and of anything else. */
export const Reason = reason('For the audit log and the timeline.');
export const AuditReason = reason('For the audit log.');

/** Stands for an id of your own in examples. */
export const EXAMPLE_ID = '0199d2a5-7c1e-7000-8000-000000000001';

/** May be passed only with its current value. */
export const fixed = <T extends Type.TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Type.Static<T>>({ ...schema, description: 'Cannot be changed.' }));

export const AttributeFilter = Type.Array(Type.Object({ attributeId: Text, attributeValue: Text }), {
  description: 'All must match.',
});

/** All fields of an update are optional except the id. */
export const updateOf = <T extends Record<string, Type.TSchema>>(fields: T) =>
  Type.Object({ id: Uuid, ...Type.Partial(Type.Object(fields)).properties });
