import Type from 'typebox';
import { TEXT_CHARS_MAX } from '../base/limits.ts';
import { named, nullable, Uuid } from './schemas.ts';

/**
 * Building blocks of the schemas of the Admin API. They hold names, types and choices. Values are checked
 * item by item (src/admin), so one wrong item of a batch does not stop the others.
 */

export const optional = <T extends Type.TSchema>(schema: T) => Type.Optional(nullable(schema));
export const Text = Type.String();

const described = (description: string) => Type.String({ description });
export const Badge = nullable(named('AdminBadge', { url: described('URL of an image.') }));
export const StartDate = described('First day, YYYY-MM-DD.');
export const EndDate = described('Last day, YYYY-MM-DD.');
export const idOf = (thing: string) => described(`Id of ${thing}.`);

const reason = (description: string) => Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, description });
/** Why an administrator changes something: of a user, and of anything else. */
export const Reason = reason('For the audit log and the timeline.');
export const AuditReason = reason('For the audit log.');

/** Stands for an id of your own in examples. */
export const EXAMPLE_ID = '0199d2a5-7c1e-7000-8000-000000000001';

export const AttributeFilter = Type.Array(Type.Object({ attributeId: Text, attributeValue: Text }), {
  description: 'All must match.',
});

/** All fields of an update are optional except the id. */
export const updateOf = <T extends Record<string, Type.TSchema>>(fields: T) =>
  Type.Object({ id: Uuid, ...Type.Partial(Type.Object(fields)).properties });
