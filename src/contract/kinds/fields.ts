import Type, { type TSchema, type TUnsafe } from 'typebox';
import { EVENT_VALUE_MAX, NAME_CHARS_MAX, TEXT_CHARS_MAX } from '../../base/limits.ts';
import { REWARDS_MAX } from '../../base/rewardLimits.ts';
import { AttributeFilter, Badge as BadgeInApi } from '../adminFields.ts';
import { withoutBounds } from '../bounds.ts';
import type { Aggregate, Condition } from '../conditions/condition.ts';
import { AggregateSchema, ConditionSchema, UserConditionSchema } from '../conditions/conditionSchemas.ts';
import { Badge as BadgeInFile, filter as filterInFile } from '../configFields.ts';
import { Guards } from '../guards.ts';
import { LeagueInput } from '../leagues.ts';
import { type Reward, RewardInput, RewardItem } from '../rewards.ts';
import {
  CalendarDate,
  Double,
  KEY_PATTERN,
  nullable as orNull,
  TIME_OF_DAY_PATTERN,
  Uuid,
} from '../schemas.ts';
import { type AttributeValue, type DefaultField, type Field, REFERRED, type ReferredKind } from './field.ts';

/** The fields that a kind can declare. Each reads like its documentation. */

/** Keeps the exact types of the schemas. */
export const field =
  <T>() =>
  <F extends TSchema, G extends TSchema, S extends TSchema>(definition: Field<T, F, G, S>) =>
    definition;
export const defaultField =
  <T>() =>
  <F extends TSchema, G extends TSchema, S extends TSchema>(definition: DefaultField<T, F, G, S>) =>
    definition;

/** A value that a request may leave out, or give as null. */
export const optional = <S extends TSchema>(schema: S) => Type.Optional(orNull(schema));
const textOf = (description: string) => Type.String({ description });

export const key = (description: string) =>
  field<string>()({
    type: 'key',
    description,
    inFile: (text) => Type.String({ pattern: KEY_PATTERN, maxLength: NAME_CHARS_MAX, description: text }),
    given: (text) => textOf(`${text} Letters, digits, \`-\` and \`_\`, up to ${NAME_CHARS_MAX}.`),
    shown: Type.String(),
  });

export const name = (more = '') =>
  field<string>()({
    type: 'name',
    description: `Name shown to people. ${more}`.trim(),
    inFile: (text) => Type.String({ minLength: 1, maxLength: NAME_CHARS_MAX, description: text }),
    given: (text) => textOf(`${text} Up to ${NAME_CHARS_MAX} characters.`),
    shown: Type.String(),
  });

/** @param charsMin 1 if the text must not be empty */
export const text = (description: string, { charsMin = 0, charsMax = TEXT_CHARS_MAX } = {}) =>
  field<string>()({
    type: 'text',
    description,
    charsMin,
    charsMax,
    inFile: (text) =>
      Type.String({ ...(charsMin > 0 && { minLength: charsMin }), maxLength: charsMax, description: text }),
    given: textOf,
    shown: Type.String(),
  });

/** The URL of an image. */
export const image = () =>
  defaultField<string | null>()({
    type: 'image',
    description: 'Image shown to users.',
    inFile: () => BadgeInFile,
    given: () => Type.Optional(BadgeInApi),
    shown: BadgeInApi,
    default: null,
  });

/** A whole number; of either sign if 0 is excluded by `not`. */
export const whole = (
  description: string,
  { minimum, maximum = EVENT_VALUE_MAX, not }: { minimum: number; maximum?: number; not?: number },
) =>
  field<number>()({
    type: 'whole',
    description,
    minimum,
    maximum,
    ...(not !== undefined && { not }),
    inFile: (text) =>
      Type.Integer({
        minimum,
        maximum,
        ...(not !== undefined && { not: { const: not } }),
        description: text,
      }),
    given: (text) =>
      Type.Number({ description: not === undefined ? text : `${text} It must not be ${not}.` }),
    shown: Type.Integer(),
  });

/** A number above 0, perhaps fractional. */
export const positive = (description: string) =>
  field<number>()({
    type: 'positive',
    description,
    inFile: (text) => Type.Number({ exclusiveMinimum: 0, maximum: EVENT_VALUE_MAX, description: text }),
    given: (text) => Type.Number({ format: 'double', description: text }),
    shown: Double,
  });

/** A number by which others are multiplied: above 0, and not 1. */
export const factor = (description: string, { below }: { below: number }) =>
  field<number>()({
    type: 'factor',
    description,
    maximum: below,
    inFile: (text) =>
      Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: below, not: { const: 1 }, description: text }),
    given: (text) => Type.Number({ description: `${text} Greater than 0, less than ${below}, not 1.` }),
    shown: Type.Number(),
  });

export function oneOf<const V extends readonly string[]>(values: V, description: string) {
  const schema = (options: { description?: string }) =>
    Type.Enum(values as unknown as string[], options) as unknown as TUnsafe<V[number]>;
  return field<V[number]>()({
    type: 'choice',
    description,
    choices: values,
    inFile: (text) => schema({ description: text }),
    given: (text) => schema({ description: text }),
    shown: schema({}),
  });
}

/** Hours and days; clients of the published API write and read the plural. */
export const timeUnit = (description: string) =>
  field<'hour' | 'day'>()({
    type: 'timeUnit',
    description,
    inFile: (text) => Type.Enum(['hour', 'day', 'hours', 'days'], { description: text }),
    given: (text) => Type.Enum(['hours', 'days', 'hour', 'day'], { description: text }),
    shown: Type.Enum(['hours', 'days']),
  });

export const flag = (description: string) =>
  defaultField<boolean>()({
    type: 'flag',
    description,
    inFile: (text) => Type.Optional(Type.Boolean({ description: text, default: false })),
    given: (text) => Type.Optional(Type.Boolean({ description: text })),
    shown: Type.Boolean(),
    default: false,
  });

/** A local date, YYYY-MM-DD. */
export const date = (description: string) =>
  field<string>()({
    type: 'date',
    description,
    inFile: (text) => Type.String({ format: 'date', description: text }),
    given: (text) => Type.String({ description: `${text} YYYY-MM-DD.` }),
    shown: CalendarDate,
  });

/** A local time of day, HH:MM or HH:MM:SS. */
export const timeOfDay = (description: string) =>
  field<string>()({
    type: 'timeOfDay',
    description,
    inFile: (text) => Type.String({ pattern: TIME_OF_DAY_PATTERN, description: text }),
    given: (text) => textOf(`${text} HH:MM or HH:MM:SS.`),
    shown: Type.String(),
  });

export const timeZone = (description: string) =>
  field<string>()({
    type: 'timeZone',
    description: `IANA time zone ${description}`,
    inFile: textOf,
    given: textOf,
    shown: Type.String(),
  });

/** A URL of the customer. */
export const webUrl = (description: string) =>
  field<string>()({
    type: 'url',
    description,
    inFile: (text) => Type.String({ format: 'uri', maxLength: TEXT_CHARS_MAX, description: text }),
    given: textOf,
    shown: Type.String(),
  });

/** At least one of the values, each at most once. */
export function someOf<const V extends readonly string[]>(values: V, description: string) {
  const schema = Type.Enum(values as unknown as string[]) as unknown as TUnsafe<V[number]>;
  return field<V[number][]>()({
    type: 'choices',
    description,
    inFile: (text) => Type.Array(schema, { description: text }),
    given: (text) => Type.Array(schema, { description: text }),
    shown: Type.Array(schema),
  });
}

/** A reference: by key in a file, by id in the API. */
export const idOf = (of: ReferredKind) =>
  field<string>()({
    type: 'id',
    description: '',
    of,
    inFile: (text) => textOf(`Key of the ${REFERRED[of]}. ${text}`.trim()),
    given: (text) => textOf(`Id of the ${REFERRED[of]}. ${text}`.trim()),
    shown: Uuid,
  });

/** User attributes: by key in a file, by id or key in the API. */
export const userAttributeIds = (description: string) =>
  defaultField<string[]>()({
    type: 'attributeIds',
    description,
    inFile: (text) => Type.Optional(Type.Array(Type.String(), { description: `Keys of ${text}` })),
    given: (text) => optional(Type.Array(Type.String(), { description: `Ids or keys of ${text}` })),
    shown: Type.Array(Uuid),
    default: [],
  });

/** Values of attributes that must all match. */
export const filter = (ofAttributes: 'user' | 'event', description: string) =>
  defaultField<AttributeValue[]>()({
    type: 'filter',
    description,
    ofAttributes,
    inFile: filterInFile,
    given: (text) => optional(Type.Array(AttributeFilter.items, { description: text })),
    shown: AttributeFilter,
    default: [],
  });

/** What the events of a metric must satisfy. */
export const guards = (description: string) =>
  defaultField<Guards | null>()({
    type: 'guards',
    description,
    inFile: (text) =>
      Type.Optional(Type.Unsafe<Guards | null>({ ...Guards, type: ['object', 'null'], description: text })),
    given: () => optional(Type.Unsafe<Guards>(withoutBounds(Guards) as object)),
    shown: orNull(Guards),
    default: null,
  });

/** Which events count. */
export const condition = () =>
  conditionOn(ConditionSchema, 'Only events for which this condition holds count.');

/** A condition that may look at the user only. */
export const userCondition = (description: string) => conditionOn(UserConditionSchema, description);

const conditionOn = (schema: typeof ConditionSchema, description: string) =>
  defaultField<Condition | null>()({
    type: 'condition',
    description,
    inFile: (text) => Type.Optional({ ...schema, description: text }),
    given: (text) => optional({ ...schema, description: text }),
    shown: schema,
    default: null,
  });

/** What is counted. */
export const aggregate = (schema: TUnsafe<Aggregate> = AggregateSchema) =>
  defaultField<Aggregate | null>()({
    type: 'aggregate',
    description:
      'What is counted: events (`count`), local days with an event (`days`), the `sum` or the `max` of the numbers in an attribute, or its different values (`distinct`, up to 64). Default: the sum of the values.',
    inFile: (text) => Type.Optional({ ...schema, description: text }),
    given: (text) => optional({ ...schema, description: text }),
    shown: schema,
    default: null,
  });

/** What the ranks of a run get. */
export const rewards = (description: string) =>
  defaultField<Reward[]>()({
    type: 'rewards',
    description,
    inFile: (text) => Type.Optional(Type.Array(RewardItem, { maxItems: REWARDS_MAX, description: text })),
    given: (text) => optional(Type.Array(RewardInput, { description: text })),
    shown: Type.Array(RewardInput),
    default: [],
  });

/** Groups and tiers of a leaderboard. */
export const league = () =>
  defaultField<LeagueInput | null>()({
    type: 'league',
    description: '',
    inFile: () =>
      Type.Optional(Type.Unsafe<LeagueInput | null>({ ...LeagueInput, type: ['object', 'null'] })),
    given: () => optional(Type.Unsafe<LeagueInput>(withoutBounds(LeagueInput) as object)),
    shown: LeagueInput,
    default: null,
  });
