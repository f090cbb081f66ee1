import Type from 'typebox';
import { ATTRIBUTE_VALUE_CHARS_MAX } from '../base/limits.ts';
import { AggregateSchema, ConditionSchema } from './conditions/conditionSchemas.ts';

/** Building blocks of the schemas. */

/** One @ between two parts without spaces and angle brackets. */
export const EMAIL_PATTERN = '^[^\\s@<>]+@[^\\s@<>]+$';
/** Keys of what is configured. */
export const KEY_PATTERN = '^[a-zA-Z\\d\\-_]+$';
/** The secret of a webhook: 24 to 64 bytes in base64, as Standard Webhooks has it. */
export const WEBHOOK_SECRET_PATTERN = '^whsec_[A-Za-z\\d+/]{32,86}={0,2}$';
/** HH:MM or HH:MM:SS. */
export const TIME_OF_DAY_PATTERN = '^([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d)?$';

export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const CalendarDate = Type.String({ format: 'date' });
export const Instant = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });
/** A number that may be fractional. */
export const Double = Type.Number({ format: 'double' });

/** Says of a text or of the keys of an object what is configured under these keys. */
export const KEYS_OF = 'x-keys-of';

/** Values with their meaning. */
export const text = (description: string) => Type.String({ description });
export const boolean = (description: string) => Type.Boolean({ description });
export const integer = (description: string) => Type.Integer({ description });
export const number = (description: string) => Type.Number({ description });
export const double = (description: string) => Type.Number({ format: 'double', description });
export const calendarDate = (description: string) => Type.String({ format: 'date', description });
export const instant = (description: string) => Type.String({ format: 'date-time', description });
export const uuid = (description: string) => Type.String({ format: 'uuid', description });

/** An object that is a component of the OpenAPI document. */
export const named = <T extends Type.TProperties>(name: string, fields: T, options: object = {}) =>
  Type.Object(fields, { $id: name, ...options });

/** A value of an attribute as a request gives it. */
export const AttributeInput = Type.Unsafe<string | number | boolean>({
  type: ['string', 'number', 'boolean'],
  maxLength: ATTRIBUTE_VALUE_CHARS_MAX,
  description: 'A text, or a number or boolean if the attribute has that type.',
});
export type AttributeInput = Type.Static<typeof AttributeInput>;

/** The key of an attribute and the required value. */
export const AttributePair = named('AttributePair', {
  key: Type.String({ examples: ['city'] }),
  value: Type.String({ examples: ['berlin'] }),
});
export type AttributePair = Type.Static<typeof AttributePair>;

/** What is configured besides attributes of events. */
export const countingFields = {
  where: Type.Optional({
    ...ConditionSchema,
    description: 'Only events for which this condition holds count.',
  }),
  aggregate: Type.Optional({
    ...AggregateSchema,
    description: 'What is counted, if that is not the sum of the values.',
  }),
};

/** Only events with these attributes count. The single attribute is the first of the list. */
export const eventAttributeFields = {
  eventAttribute: Type.Optional(AttributePair),
  eventAttributes: Type.Optional(Type.Array(AttributePair)),
  ...countingFields,
};

/** Path parameters that many operations share. */
export const userPath = {
  id: Type.String({ minLength: 1, description: 'The id of the user in your system, percent-encoded.' }),
};
export const keyPath = (of: string) => ({
  key: Type.String({ minLength: 1, description: `Key of the ${of}, percent-encoded.` }),
});

/** Query parameter that selects users or groups. */
export const userAttributesQuery = {
  userAttributes: Type.Optional(
    Type.String({
      description:
        'Pairs `key:value`, separated by commas, each key once. All must match. A comma belongs to the value unless another ' +
        '`key:` follows it; `\\,` is a comma that always does, `\\\\` a backslash.',
    }),
  ),
};

/** Something configured. */
export const Named = Type.Object({
  key: text('Key of the item. `#` and its number if it was deleted.'),
  name: Type.String(),
});
