import Type, { type TProperties } from 'typebox';
import { type Aggregate, type Condition, EVENT_VALUE, WEEKDAYS } from './condition.ts';

/** The schemas of conditions and of what is counted. */

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
export const ConditionSchema = Type.Unsafe<Condition>(
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

/**
 * The same for conditions that may look at the user only. A rule (challengeRules) refuses others, and says
 * where they belong. The extension tells forms what to offer.
 */
export const UserConditionSchema = Type.Unsafe<Condition>({ ...ConditionSchema, 'x-subject': 'user' });

const ofAttribute = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

const ADDITIVE = [
  Type.Enum(['count', 'days']),
  ofAttribute({ sum: Type.String({ description: 'Key of an event attribute of numbers.' }) }),
];

/** What leaderboards can rank: what an event adds. */
export const RankedAggregateSchema = Type.Unsafe<Aggregate>(Type.Union(ADDITIVE));

export const AggregateSchema = Type.Unsafe<Aggregate>(
  Type.Union([
    ...ADDITIVE,
    ofAttribute({
      max: Type.String({ description: `Key of an event attribute of numbers, or \`${EVENT_VALUE}\`.` }),
    }),
    ofAttribute({ distinct: Type.String({ description: 'Key of an event attribute.' }) }),
  ]),
);
