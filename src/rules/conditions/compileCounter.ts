import { type Comparison, type Condition, WEEKDAYS } from '../../contract/conditions/condition.ts';
import { type Counting, isComputed } from '../counting.ts';
import type { Filter, ScriptCondition, ScriptCounter } from '../scriptRules.ts';
import { type DerivedAttributes, splitCondition } from './derivedAttributes.ts';

/** What the scripts test and add for a counter. */
export function compileCounter(
  no: number,
  counting: Counting,
  filter: Filter,
  derived: DerivedAttributes,
): ScriptCounter {
  if (!isComputed(counting)) return { no, filter };
  const { where, aggregate } = counting;
  const parts = splitCondition(where);
  const pairs = parts.derived === null ? [] : [derived.no({ holds: parts.derived })!, true as const];
  const all = [...(filter || []), ...pairs];
  return {
    no,
    filter: all.length > 0 && all,
    computes: true,
    ...(parts.ofScript.length > 0 && {
      where: { all: parts.ofScript.map((part) => compileCondition(part, derived)) },
    }),
    ...(aggregate === 'count' && { adds: 1 }),
    ...(aggregate !== null && aggregate !== 'count' && { addsOf: derived.no(aggregate) }),
  };
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
