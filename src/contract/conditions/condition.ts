import Type, { type TProperties } from 'typebox';

/** Conditions on an event, as files, the Admin API and stored entities have them (docs/conditions.md). */

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Of each form: leaves in all, groups within each other, and values of `in`. */
export const CONDITION_LEAVES_MAX = 20;
export const CONDITION_DEPTH_MAX = 4;
export const CONDITION_VALUES_MAX = 50;

export type ComparedValue = string | number | boolean;

/** One or two comparisons, which must all hold. */
export interface Comparison<V extends ComparedValue = ComparedValue> {
  eq?: V;
  ne?: V;
  gt?: V;
  gte?: V;
  lt?: V;
  lte?: V;
  in?: V[];
}
export const COMPARISONS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'] as const;
export const COMPARISONS_MAX = 2;

/** The attribute of an event or of its user, named by key, which cannot change. */
export interface AttributeCondition extends Comparison {
  attribute: string;
  exists?: boolean;
}

/** Times of day, HH:MM or HH:MM:SS; `to` does not belong to it. It goes over midnight if `from` is later. */
export interface TimeRange {
  from: string;
  to: string;
}

export type Condition =
  | AttributeCondition
  | { value: Comparison<number> }
  | { localTime: TimeRange }
  | { user: AttributeCondition }
  | { weekday: Weekday[] }
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition };

/**
 * What is counted; null stands for the sum of the values: events, local days with an event, the sum or the
 * greatest of an attribute (or, for `value`, of the event's value), or the different values of an attribute.
 */
export type Aggregate = 'count' | 'days' | { sum: string } | { max: string } | { distinct: string };

/** What `max` names beside attributes: the value of the event. */
export const EVENT_VALUE = 'value';
/** Different values that are counted. */
export const DISTINCT_VALUES_MAX = 64;

/** The periods of the user's calendar within which something is counted. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type CountingPeriod = (typeof PERIODS)[number];

const Compared = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
const comparedAs = (description: string) => Type.Optional({ ...Compared, description });
const COMPARISON = {
  eq: comparedAs('Equal.'),
  ne: comparedAs('Not equal.'),
  gt: comparedAs('Greater.'),
  gte: comparedAs('Greater or equal.'),
  lt: comparedAs('Less.'),
  lte: comparedAs('Less or equal.'),
  in: Type.Optional(Type.Array(Compared, { description: 'Equal to one of these.' })),
};

const nested = (description: string) => Type.Unsafe<Condition>({ type: 'object', description });

const TIME = 'Time of day, HH:MM or HH:MM:SS';

/** What is within `all`, `any` and `not` is checked with the rest of the item (src/admin/kinds). */
export const Condition = Type.Unsafe<Condition>(
  Type.Object(
    {
      attribute: Type.Optional(Type.String({ description: 'Key of an event attribute.' })),
      ...COMPARISON,
      exists: Type.Optional(Type.Boolean({ description: 'Whether the event has the attribute.' })),
      value: Type.Optional(Type.Object(COMPARISON, { description: 'Compares the value of the event.' })),
      weekday: Type.Optional(
        Type.Array(Type.Enum(WEEKDAYS), { description: 'The local day of the event is one of these.' }),
      ),
      localTime: Type.Optional(
        Type.Object(
          {
            from: Type.String({ description: `${TIME}, inclusive.` }),
            to: Type.String({ description: `${TIME}, exclusive. Before \`from\`: on the next day.` }),
          },
          { description: "The user's clock at the event shows a time from `from` to `to`." },
        ),
      ),
      user: Type.Optional(
        Type.Object(
          {
            attribute: Type.String({ description: 'Key of a user attribute.' }),
            ...COMPARISON,
            exists: Type.Optional(Type.Boolean({ description: 'Whether the user has the attribute.' })),
          },
          { description: 'Compares an attribute that the user has at the event.' },
        ),
      ),
      all: Type.Optional(Type.Array(nested('A condition.'), { description: 'All of these hold.' })),
      any: Type.Optional(Type.Array(nested('A condition.'), { description: 'One of these holds.' })),
      not: Type.Optional(nested('This condition does not hold.')),
    },
    { additionalProperties: false },
  ),
);

const ofAttribute = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

const ADDITIVE = [
  Type.Enum(['count', 'days']),
  ofAttribute({ sum: Type.String({ description: 'Key of an event attribute of numbers.' }) }),
];

/** What leaderboards can rank: what an event adds. */
export const RankedAggregate = Type.Unsafe<Aggregate>(Type.Union(ADDITIVE));

export const Aggregate = Type.Unsafe<Aggregate>(
  Type.Union([
    ...ADDITIVE,
    ofAttribute({
      max: Type.String({ description: `Key of an event attribute of numbers, or \`${EVENT_VALUE}\`.` }),
    }),
    ofAttribute({ distinct: Type.String({ description: 'Key of an event attribute.' }) }),
  ]),
);
