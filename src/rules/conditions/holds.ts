import type {
  AttributeCondition,
  ComparedValue,
  Comparison,
  Condition,
} from '../../contract/conditions/condition.ts';
import { WEEKDAYS } from '../../contract/conditions/condition.ts';
import type { ValueType } from '../../contract/kinds/attributeKind.ts';
import type { AttributeInput } from '../../contract/schemas.ts';
import { secondOfDay } from '../calendar.ts';
import { isBetween } from '../timeOfDay.ts';
import { readTyped, type TypeOf } from './typedValues.ts';

/** By key, as a request gives them or as they are stored. */
export type GivenAttributes = Readonly<Record<string, AttributeInput | null | undefined>>;

/** What conditions look at. */
export interface EventFacts {
  attributes: GivenAttributes;
  value: number;
  /** Local day ordinal. */
  day: number;
  /** Local second of the day. */
  second: number;
  /** Attributes of the user. */
  user: GivenAttributes;
}

type Holds = (event: EventFacts) => boolean;

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;

/** A condition as a function. */
export function conditionTest(condition: Condition, typeOf: TypeOf): Holds {
  if ('all' in condition) {
    const tests = condition.all.map((one) => conditionTest(one, typeOf));
    return (event) => tests.every((holds) => holds(event));
  }
  if ('any' in condition) {
    const tests = condition.any.map((one) => conditionTest(one, typeOf));
    return (event) => tests.some((holds) => holds(event));
  }
  if ('not' in condition) {
    const holds = conditionTest(condition.not, typeOf);
    return (event) => !holds(event);
  }
  if ('weekday' in condition) {
    const days = condition.weekday.map((name) => WEEKDAYS.indexOf(name));
    return ({ day }) => days.includes(weekdayOf(day));
  }
  if ('value' in condition) {
    const compared = condition.value;
    return ({ value }) => compares(value, compared);
  }
  if ('localTime' in condition) {
    const [from, to] = [secondOfDay(condition.localTime.from), secondOfDay(condition.localTime.to)];
    return ({ second }) => isBetween(second, from, to);
  }
  const type = 'user' in condition ? 'user' : 'event';
  const compared = 'user' in condition ? condition.user : condition;
  const holds = attributeTest(compared, typeOf({ type, key: compared.attribute }) ?? 'text');
  return ({ attributes, user }) => holds(type === 'user' ? user : attributes);
}

/** A missing attribute holds for `ne` and for `exists: false` only. */
function attributeTest(
  condition: AttributeCondition,
  type: ValueType,
): (attributes: GivenAttributes) => boolean {
  const { attribute, exists, ...compared } = condition;
  const { ne, ...others } = compared;
  const holdsIfMissing = exists !== true && Object.keys(others).length === 0;
  return (attributes) => {
    const given = attributes[attribute] ?? null;
    const value = given === null ? null : readTyped(type, given);
    return value === null ? holdsIfMissing : exists !== false && compares(value, compared);
  };
}

function compares<V extends ComparedValue>(
  value: V,
  { eq, ne, gt, gte, lt, lte, in: listed }: Comparison<V>,
) {
  return (
    (eq === undefined || value === eq) &&
    (ne === undefined || value !== ne) &&
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte) &&
    (listed === undefined || listed.includes(value))
  );
}
