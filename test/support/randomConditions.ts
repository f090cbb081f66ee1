import {
  type Aggregate,
  type AttributeCondition,
  type Comparison,
  type Condition,
  WEEKDAYS,
} from '../../src/contract/conditions/condition.ts';
import type { ValueType } from '../../src/contract/kinds/attributeKind.ts';
import type { AttributeInput } from '../../src/contract/schemas.ts';
import type { Random } from './random.ts';

export type EventAttribute = 'device' | 'mood' | 'distance' | 'indoors' | 'made';

/** Event attributes with the values that events send. */
export const EVENT_ATTRIBUTES: Record<EventAttribute, readonly AttributeInput[]> = {
  device: ['ios', 'web'],
  mood: ['good', 'bad'],
  distance: [0.5, '2', 3, -1.5, '10.25'],
  indoors: [true, 'false'],
  made: ['2026-02-28', '2028-01-01'],
};

export const VALUE_TYPES: Partial<Record<EventAttribute, ValueType>> = {
  distance: 'number',
  indoors: 'boolean',
  made: 'date',
};

export type UserAttribute = 'level' | 'premium' | 'born';

/** User attributes, of which conditions look at the types. */
export const TYPED_USER_ATTRIBUTES: Record<UserAttribute, readonly AttributeInput[]> = {
  level: [0.5, '2', 3, -1.5, '10.25'],
  premium: [true, 'false'],
  born: ['2026-02-28', '2028-01-01'],
};
export const USER_VALUE_TYPES: Record<UserAttribute, ValueType> = {
  level: 'number',
  premium: 'boolean',
  born: 'date',
};
/** With the texts of the user attribute `plan` of randomConfig.ts. */
const USER_TYPES: Record<string, ValueType> = { ...USER_VALUE_TYPES, plan: 'text' };

/** What conditions compare attributes with. */
const COMPARED = {
  text: ['ios', 'web', 'good', 'pro'],
  number: [-1.5, 0.5, 2, 3, 7, 10.25],
  boolean: [true, false],
  date: ['2026-02-28', '2027-06-01', '2028-01-01'],
};
/** Most events have the value 1: of it, conditions must hold exactly at their limits. */
const VALUES = [-2, 0, 0.5, 1, 1, 1, 2, 2.5, 3];
const TIMES = ['00:00', '05:00', '07:30', '12:00:30', '18:00', '23:59:59'];

/** At least one. */
function someOf<T>(random: Random, among: readonly T[]): T[] {
  const some = random.some(among, 0.5);
  return some.length > 0 ? some : [random.pick(among)];
}

function comparison(random: Random, type: ValueType, among: readonly unknown[]): Comparison {
  const names =
    type === 'text' || type === 'boolean'
      ? ['eq', 'ne', 'in']
      : ['eq', 'ne', 'gt', 'gte', 'gte', 'lt', 'lte', 'lte', 'in'];
  const chosen = new Set([random.pick(names), ...(random.chance(0.3) ? [random.pick(names)] : [])]);
  return Object.fromEntries(
    Array.from(chosen, (name) => [name, name === 'in' ? someOf(random, among) : random.pick([...among])]),
  );
}

function attributeLeaf(random: Random, types: Record<string, ValueType>): AttributeCondition {
  const attribute = random.pick(Object.keys(types));
  if (random.chance(0.3)) return { attribute, exists: random.chance(0.5) };
  const type = types[attribute]!;
  return { attribute, ...comparison(random, type, COMPARED[type]) };
}

/** A condition on an attribute of the user. */
export const userLeaf = (random: Random): Condition => ({ user: attributeLeaf(random, USER_TYPES) });

function leaf(random: Random): Condition {
  if (random.chance(0.3)) return { value: comparison(random, 'number', VALUES) as Comparison<number> };
  if (random.chance(0.2)) return { weekday: someOf(random, WEEKDAYS) };
  if (random.chance(0.2)) {
    const from = random.pick(TIMES);
    return { localTime: { from, to: random.pick(TIMES.filter((time) => time !== from)) } };
  }
  return random.chance(0.5)
    ? userLeaf(random)
    : attributeLeaf(random, { device: 'text', mood: 'text', ...VALUE_TYPES });
}

/** A condition of any form, at most `depth` levels deep. `ofLeaf` draws what it compares. */
export function randomCondition(random: Random, depth = 3, ofLeaf = leaf): Condition {
  if (depth === 1 || random.chance(0.5)) return ofLeaf(random);
  const parts = Array.from({ length: random.int(1, 3) }, () => randomCondition(random, depth - 1, ofLeaf));
  return random.pick<Condition>([{ all: parts }, { any: parts }, { not: parts[0]! }, { not: parts[0]! }]);
}

/** What leaderboards can rank, too. */
export const ADDITIVE: readonly Aggregate[] = ['count', 'count', 'days', { sum: 'distance' }];
export const AGGREGATES: readonly Aggregate[] = [
  ...ADDITIVE,
  { max: 'distance' },
  { max: 'value' },
  { distinct: 'device' },
  { distinct: 'distance' },
];

/** Often none of both. */
export function randomCounting(
  random: Random,
  among = AGGREGATES,
): { where?: Condition; aggregate?: Aggregate } {
  return {
    ...(random.chance(0.4) && { where: randomCondition(random) }),
    ...(random.chance(0.4) && { aggregate: random.pick([...among]) }),
  };
}
