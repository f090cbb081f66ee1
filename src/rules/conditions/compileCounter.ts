import {
  type Aggregate,
  type AttributeCondition,
  type Comparison,
  type Condition,
  WEEKDAYS,
} from '../../contract/conditions/condition.ts';
import type { AttributeType } from '../../contract/kinds/attributeKind.ts';
import { frequencyNo, secondOfDay } from '../calendar.ts';
import type { Attribute } from '../config.ts';
import { type Counting, isComputed, numberAttributeOf } from '../counting.ts';
import { frequencyOf } from '../periods.ts';
import type { ScriptComparison, ScriptCondition } from '../scriptConditions.ts';
import type { Filter, ScriptCounter } from '../scriptRules.ts';
import { type DerivedAttributes, splitCondition } from './derivedAttributes.ts';
import { userFact } from './facts.ts';

/**
 * What the scripts test and add for a counter.
 * @param attributes by key
 */
export function compileCounter(
  no: number,
  counting: Counting,
  filter: Filter,
  derived: DerivedAttributes,
  attributes: Record<AttributeType, ReadonlyMap<string, Attribute>>,
): ScriptCounter {
  if (!isComputed(counting)) return { no, ...(filter && { filter }) };
  const { where, aggregate, per } = counting;
  const parts = splitCondition(where);
  const pairs = parts.derived === null ? [] : [derived.no({ holds: parts.derived })!, true as const];
  const all = [...(filter || []), ...pairs];
  const keeps = keptBy(aggregate);
  return {
    no,
    filter: all.length > 0 && all,
    computes: true,
    ...(parts.ofScript.length > 0 && {
      where: { all: parts.ofScript.map((part) => compileCondition(part, derived, attributes.user)) },
    }),
    ...addedBy(aggregate, derived, attributes.event),
    ...((keeps || per) && { marks: true as const }),
    ...(keeps && { keeps }),
    ...(per && { per: frequencyNo(frequencyOf(per)) }),
  };
}

/** What an event adds instead of its value. Of different values, it is the value itself. */
function addedBy(
  aggregate: Aggregate | null,
  derived: DerivedAttributes,
  ofEvents: ReadonlyMap<string, Attribute>,
): Pick<ScriptCounter, 'adds' | 'addsOf'> {
  if (aggregate === 'count' || aggregate === 'days') return { adds: 1 };
  const number = numberAttributeOf(aggregate);
  if (number !== null) return { addsOf: derived.no({ number })! };
  return aggregate !== null && 'distinct' in aggregate
    ? { addsOf: ofEvents.get(aggregate.distinct)!.no }
    : {};
}

/** What the progress of a counter remembers. */
export function keptBy(aggregate: Aggregate | null): ScriptCounter['keeps'] {
  if (aggregate === 'days') return 'days';
  if (aggregate === null || aggregate === 'count' || 'sum' in aggregate) return undefined;
  return 'max' in aggregate ? 'greatest' : 'values';
}

function compileCondition(
  condition: Condition,
  derived: DerivedAttributes,
  users: ReadonlyMap<string, Attribute>,
): ScriptCondition {
  const compile = (one: Condition): ScriptCondition => compileCondition(one, derived, users);
  if ('weekday' in condition) return { weekdays: condition.weekday.map((day) => WEEKDAYS.indexOf(day)) };
  if ('value' in condition) return { value: ranges(condition.value) };
  if ('localTime' in condition) {
    const { from, to } = condition.localTime;
    return { window: [secondOfDay(from), secondOfDay(to)] };
  }
  if ('user' in condition) return compileUser(condition.user, users);
  const known = derived.no({ holds: condition });
  if (known !== undefined) return { derived: known };
  if ('all' in condition) return { all: condition.all.map(compile) };
  if ('any' in condition) return { any: condition.any.map(compile) };
  if ('not' in condition) return { none: compile(condition.not) };
  throw new Error('a condition on attributes that nobody derives');
}

function compileUser(
  { attribute, exists, ...compared }: AttributeCondition,
  users: ReadonlyMap<string, Attribute>,
): ScriptCondition {
  const { no, valueType } = users.get(attribute)!;
  if (exists === false) return { none: compileUser({ attribute, exists: true }, users) };
  const { ne: _, ...others } = compared;
  const isForMissing = exists === undefined && Object.keys(others).length === 0;
  return {
    user: userFact(no),
    as: valueType,
    compared: ranges(compared),
    ...(isForMissing && { ifMissing: true }),
  };
}

/** Lua takes false for an absent field, so booleans are compared as texts. */
const comparable = <V>(value: V) => (typeof value === 'boolean' ? String(value) : value) as string | number;

const ranges = ({ in: listed, ...compared }: Comparison): ScriptComparison => ({
  ...Object.fromEntries(Object.entries(compared).map(([name, to]) => [name, comparable(to)])),
  ...(listed && { listed: listed.map(comparable) }),
});
