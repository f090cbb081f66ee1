import {
  type AttributeCondition,
  type Comparison,
  type Condition,
  type TimeRange,
  WEEKDAYS,
} from '../../contract/conditions/condition.ts';
import type { ValueType } from '../../contract/kinds/attributeKind.ts';
import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import { secondOfDay } from '../../rules/calendar.ts';
import { CLOCK, factsNeeded, userFact } from '../../rules/conditions/facts.ts';
import { ATTRIBUTE_NUMBER_MAX, NUMBER_PATTERN } from '../../rules/conditions/typedValues.ts';
import { attributeOf, type Counting, isComputed, numberAttributeOf } from '../../rules/counting.ts';
import { numberedFilter } from '../../rules/inForce/filters.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { UNDO_ORIGIN } from '../../rules/inForce/undo.ts';
import { raw, type Sql, sql } from '../sql.ts';

/*
 * Ways of counting as SQL over a row of recorded_events: its columns `attributes`, `value` and `local_date`.
 * It says the same as src/rules/conditions/holds.ts.
 */

const ORIGIN = raw(`attributes ->> '${ORIGIN_ATTRIBUTE}'`);
/** -1 for an event that undoes another one. */
const SIGN = sql`(case when ${ORIGIN} like ${raw(`'${UNDO_ORIGIN}%'`)} then -1 else 1 end)`;

const joined = (parts: Sql[], operator: 'and' | 'or', ofNone: boolean): Sql =>
  parts.length === 0
    ? raw(String(ofNone))
    : sql`(${parts.reduce((left, right) => sql`${left} ${raw(operator)} ${right}`)})`;

const DATE_PATTERN = '^\\d{4}-\\d{2}-\\d{2}$';

/** What is compared of a text of each type: null if the text is none of the type. */
const READ: Record<ValueType, (text: Sql) => Sql> = {
  text: (text) => text,
  number: (
    text,
  ) => sql`(case when ${text} ~ ${NUMBER_PATTERN} and abs((${text})::numeric) <= ${ATTRIBUTE_NUMBER_MAX}
    then (${text})::float8 end)`,
  boolean: (text) => sql`(case when ${text} in ('true', 'false') then ${text} end)`,
  date: (text) => sql`((case when ${text} ~ ${DATE_PATTERN} then ${text} end) collate "C")`,
};

const OPERATORS = { eq: '=', ne: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

function comparison(value: Sql, { in: listed, ...compared }: Comparison, isNumber: boolean): Sql {
  const type = raw(isNumber ? 'float8' : 'text');
  const parameter = (given: unknown): unknown => (isNumber ? given : String(given));
  const parts = Object.entries(compared).map(
    ([name, to]) => sql`${value} ${raw(OPERATORS[name as keyof typeof OPERATORS])} ${parameter(to)}::${type}`,
  );
  if (listed) parts.push(sql`${value} = any(${listed.map(parameter)}::${type}[])`);
  return joined(parts, 'and', true);
}

function conditionSql(rules: Rules, condition: Condition): Sql {
  if ('all' in condition)
    return joined(
      condition.all.map((one) => conditionSql(rules, one)),
      'and',
      true,
    );
  if ('any' in condition)
    return joined(
      condition.any.map((one) => conditionSql(rules, one)),
      'or',
      false,
    );
  if ('not' in condition) return sql`(not ${conditionSql(rules, condition.not)})`;
  if ('weekday' in condition)
    return sql`(extract(dow from local_date) = any(${condition.weekday.map((day) => WEEKDAYS.indexOf(day))}::int[]))`;
  if ('value' in condition) return comparison(sql`(value * ${SIGN})`, condition.value, true);
  if ('localTime' in condition) return isWithin(condition.localTime);
  if ('user' in condition) {
    const { no, valueType } = rules.userAttributeByKey.get(condition.user.attribute)!;
    return attributeSql(keptValue(userFact(no), valueType), valueType, condition.user);
  }
  const { no, valueType } = rules.eventAttributeByKey.get(condition.attribute)!;
  return attributeSql(keptValue(no, valueType), valueType, condition);
}

function isWithin({ from, to }: TimeRange): Sql {
  const clock = raw(`(attributes ->> '${CLOCK}')::integer`);
  const [first, end] = [secondOfDay(from), secondOfDay(to)];
  return sql`(${clock} >= ${first} ${raw(first <= end ? 'and' : 'or')} ${clock} < ${end})`;
}

/** A missing attribute holds for `ne` and for `exists: false` only. */
function attributeSql(value: Sql, type: ValueType, { exists, ...given }: AttributeCondition): Sql {
  const { attribute: _key, ...compared } = given;
  if (exists === false) return sql`(${value} is null)`;
  const { ne: _, ...others } = compared;
  const ofMissing = exists === undefined && Object.keys(others).length === 0;
  const isNumber = type === 'number';
  const holds = joined([sql`${value} is not null`, comparison(value, compared, isNumber)], 'and', true);
  return ofMissing ? sql`(${value} is null or ${holds})` : sql`coalesce(${holds}, false)`;
}

/** The value under a key of the history: the number of an event attribute, or a fact. */
const keptValue = (key: number | string, type: ValueType): Sql =>
  READ[type](raw(`(attributes ->> '${key}')`));

const numberIn = (rules: Rules, key: string): Sql =>
  keptValue(rules.eventAttributeByKey.get(key)!.no, 'number');

/** Whether an event counts. */
export function isCounted(rules: Rules, counting: Counting): Sql {
  const { eventAttributes, where, aggregate } = counting;
  const parts: Sql[] = [];
  if (eventAttributes.length > 0)
    parts.push(sql`coalesce(attributes, '{}') @> ${JSON.stringify(numberedFilter(rules, eventAttributes))}`);
  if (where !== null) parts.push(conditionSql(rules, where));
  const needed = factsNeeded(counting, rules.userAttributeByKey);
  if (needed.length > 0) parts.push(sql`coalesce(attributes, '{}') ?& ${needed}::text[]`);
  const number = numberAttributeOf(aggregate);
  const attribute = attributeOf(aggregate);
  if (number !== null) parts.push(sql`${numberIn(rules, number)} is not null`);
  else if (attribute !== null) parts.push(sql`${attributeText(rules, attribute)} is not null`);
  // An imported total is no event.
  if (isComputed(counting)) parts.push(sql`${ORIGIN} is distinct from 'import'`);
  return joined(parts, 'and', true);
}

/** What an event adds that counts, or its number of which the greatest is taken, as numeric. */
export function addendSql(rules: Rules, { aggregate }: Counting): Sql {
  const attribute = numberAttributeOf(aggregate);
  if (attribute !== null) return sql`(${numberIn(rules, attribute)}::numeric * ${SIGN})`;
  const isValue = aggregate === null || (typeof aggregate === 'object' && 'max' in aggregate);
  return isValue ? raw('value::numeric') : sql`${SIGN}::numeric`;
}

/** The text of an attribute. */
export const attributeText = (rules: Rules, key: string): Sql =>
  raw(`(attributes ->> '${rules.eventAttributeByKey.get(key)!.no}')`);

/** The first day of the period within which an event counts; null for ever. */
export const periodSql = ({ per = null }: Counting): Sql =>
  per === null ? raw('null::date') : raw(`date_trunc('${per}', local_date)::date`);
