import Type, { type TSchema } from 'typebox';
import {
  ATTRIBUTE_VALUE_CHARS_MAX,
  EVENT_VALUE_MAX,
  NAME_CHARS_MAX,
  TEXT_CHARS_MAX,
} from '../base/limits.ts';
import type { ChosenFields } from './entityFields.ts';
import { KEY_PATTERN, TIME_OF_DAY_PATTERN } from './schemas.ts';

/** Building blocks of the schema of a configuration file. */

/** Types may be given for `number`, `integer`, `string` and `boolean` only. */
export function Nullable<T extends TSchema>(type: T) {
  return Type.Unsafe<Type.Static<T> | null>({
    ...type,
    type: [(type as unknown as { type: string }).type, 'null'],
  });
}

export function Fields<const T extends Record<string, TSchema>>(fields: T, options: object = {}) {
  return Type.Object(fields, { additionalProperties: false, ...options });
}

/** Names in a file of the fields of entities that have another name there. */
export const FILE_NAMES: Record<string, string> = {
  badgeUrl: 'badge.url',
  metricId: 'metric',
  achievementId: 'achievement',
  achievementIds: 'achievements',
  pointsSystemId: 'points',
  systemId: 'system',
};

/** The same, where the descriptions of `fixed` fields of the entity say that these cannot change. */
export function FixedFields<const T extends Record<string, TSchema>>(
  fixed: readonly string[],
  cannotChange: string,
  fields: T,
) {
  for (const name of fixed) {
    const field = fields[FILE_NAMES[name] ?? name] as { description?: string };
    field.description = `${field.description} ${cannotChange}`;
  }
  return Fields(fields);
}

export const key = (description: string) =>
  Type.String({ pattern: KEY_PATTERN, maxLength: NAME_CHARS_MAX, description });
export const reference = (description: string) => Type.Optional(Type.String({ description }));
export const positive = (description: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum: EVENT_VALUE_MAX, description });
export const whole = (
  description: string,
  minimum: number,
  maximum = EVENT_VALUE_MAX,
  options: object = {},
) => Type.Integer({ minimum, maximum, description, ...options });
export const flag = (description: string, byDefault: boolean) =>
  Type.Optional(Type.Boolean({ description, default: byDefault }));
export const date = (description: string) => Type.String({ format: 'date', description });
export const listOf = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { description }));

export const optionalText = (description: string) =>
  Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, description })));

export const Name = Type.String({
  minLength: 1,
  maxLength: NAME_CHARS_MAX,
  description: 'Name shown to people.',
});
const WebUrl = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: TEXT_CHARS_MAX,
  description: 'URL of an image.',
});
export const image = (description: string) => Type.Optional(Fields({ url: WebUrl }, { description }));
export const Badge = image('Image shown to users.');
export const Description = Type.Optional(
  Nullable(Type.String({ maxLength: TEXT_CHARS_MAX, description: 'Text shown to users.' })),
);
/** Attribute key to value; all must match. */
export const filter = (description: string) =>
  Type.Optional(
    Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: ATTRIBUTE_VALUE_CHARS_MAX }), {
      additionalProperties: false,
      description,
    }),
  );

export const timeOfDay = (description: string) =>
  Type.Optional(Nullable(Type.String({ pattern: TIME_OF_DAY_PATTERN, description })));

/** With the fields that an item needs for each value of the field that decides it, for JSON Schema. */
export function withNeeded<T extends TSchema>(item: T, { choice, table }: ChosenFields): T {
  const rows = Object.entries(table).filter(([, { needs }]) => needs.length > 0);
  const allOf = rows.map(([value, { needs }]) => ({
    if: { properties: { [choice]: { const: value } }, required: [choice] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: needs.map((field) => FILE_NAMES[field] ?? field) },
  }));
  return { ...item, allOf };
}

const BOUNDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'not'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'allOf'],
];

/**
 * A schema without bounds on values; whole numbers become numbers. Values of attributes keep their bounds.
 */
export function withoutBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (typeof schema !== 'object' || schema === null) return schema === 'integer' ? 'number' : schema;
  const { properties, patternProperties, ...keywords } = schema as Record<string, Record<string, unknown>>;
  const kept = Object.entries(keywords).filter(([keyword]) => !BOUNDS.includes(keyword));
  return {
    ...Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutBounds(value)])),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, withoutBounds(field)]),
      ),
    }),
    ...(patternProperties && { patternProperties }),
  };
}
