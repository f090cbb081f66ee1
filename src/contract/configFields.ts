import Type, { type TSchema } from 'typebox';
import { ATTRIBUTE_VALUE_CHARS_MAX, EVENT_VALUE_MAX, TEXT_CHARS_MAX } from '../base/limits.ts';

/** Building blocks of the schema of a configuration file. */

/** Types may be given for `number`, `integer`, `string`, `boolean` and choices only. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: choices } = schema as unknown as { type: string; enum?: unknown[] };
  return Type.Unsafe<Type.Static<T> | null>(
    choices ? { ...schema, enum: [...choices, null] } : { ...schema, type: [type, 'null'] },
  );
}

export function Fields<const T extends Record<string, TSchema>>(fields: T, options: object = {}) {
  return Type.Object(fields, { additionalProperties: false, ...options });
}

export const reference = (description: string) => Type.Optional(Type.String({ description }));
export const whole = (
  description: string,
  minimum: number,
  maximum = EVENT_VALUE_MAX,
  options: object = {},
) => Type.Integer({ minimum, maximum, description, ...options });
export const flag = (description: string, byDefault: boolean) =>
  Type.Optional(Type.Boolean({ description, default: byDefault }));
export const listOf = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { description }));

export const optionalText = (description: string) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, description })));

const WebUrl = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: TEXT_CHARS_MAX,
  description: 'URL of an image.',
});
export const image = (description: string) => Type.Optional(Fields({ url: WebUrl }, { description }));
export const Badge = image('Image shown to users.');
/** Attribute key to value; all must match. */
export const filter = (description: string) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: ATTRIBUTE_VALUE_CHARS_MAX }), {
      additionalProperties: false,
      description,
    }),
  );
