import {
  type Aggregate,
  type Comparison,
  type Condition,
  WEEKDAYS,
} from '../../contract/conditions/condition.ts';
import { frequencyNo } from '../calendar.ts';
import { type Counting, isComputed, numberAttributeOf } from '../counting.ts';
import { frequencyOf } from '../periods.ts';
import type { Filter, ScriptCondition, ScriptCounter } from '../scriptRules.ts';
import { type DerivedAttributes, splitCondition } from './derivedAttributes.ts';

/**
 * What the scripts test and add for a counter.
 * @param noOf number of the event attribute with a key
 */
export function compileCounter(
  no: number,
  counting: Counting,
  filter: Filter,
  derived: DerivedAttributes,
  noOf: (key: string) => number,
): ScriptCounter {
  if (!isComputed(counting)) return { no, filter };
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
      where: { all: parts.ofScript.map((part) => compileCondition(part, derived)) },
    }),
    ...addedBy(aggregate, derived, noOf),
    ...((keeps || per) && { marks: true as const }),
    ...(keeps && { keeps }),
    ...(per && { per: frequencyNo(frequencyOf(per)) }),
  };
}

/** What an event adds instead of its value. Of different values, it is the value itself. */
function addedBy(
  aggregate: Aggregate | null,
  derived: DerivedAttributes,
  noOf: (key: string) => number,
): Pick<ScriptCounter, 'adds' | 'addsOf'> {
  if (aggregate === 'count' || aggregate === 'days') return { adds: 1 };
  const number = numberAttributeOf(aggregate);
  if (number !== null) return { addsOf: derived.no({ number })! };
  return aggregate !== null && 'distinct' in aggregate ? { addsOf: noOf(aggregate.distinct) } : {};
}

function keptBy(aggregate: Aggregate | null): ScriptCounter['keeps'] {
  if (aggregate === 'days') return 'days';
  if (aggregate === null || aggregate === 'count' || 'sum' in aggregate) return undefined;
  return 'max' in aggregate ? 'greatest' : 'values';
}

function compileCondition(condition: Condition, derived: DerivedAttributes): ScriptCondition {
  const compile = (one: Condition): ScriptCondition => compileCondition(one, derived);
  if ('weekday' in condition) return { weekdays: condition.weekday.map((day) => WEEKDAYS.indexOf(day)) };
  if ('value' in condition) return { value: ranges(condition.value) };
  const known = derived.no({ holds: condition });
  if (known !== undefined) return { derived: known };
  if ('all' in condition) return { all: condition.all.map(compile) };
  if ('any' in condition) return { any: condition.any.map(compile) };
  if ('not' in condition) return { none: compile(condition.not) };
  throw new Error('a condition on attributes that nobody derives');
}

const ranges = ({ in: listed, ...compared }: Comparison<number>) => ({
  ...compared,
  ...(listed && { listed }),
});
