import type { Guards } from '../../contract/guards.ts';
import { type DeclaredKind, KINDS, nounOf, ofEachKind } from '../../contract/kinds/allKinds.ts';
import type { Field, FieldType, ReferredKind } from '../../contract/kinds/field.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { chosenFields } from '../../contract/kinds/kindSchemas.ts';
import { type Prerequisites, prerequisitesOf } from '../../contract/kinds/prerequisites.ts';
import { isDate, isTimeZone } from '../../rules/calendar.ts';
import type { Attribute, AttributeValue } from '../../rules/config.ts';
import { type AttributesByKey, checkAggregate, checkCondition } from './conditionRules.ts';
import { checkGuards } from './guardRules.ts';
import {
  checkAttributeIds,
  checkFields,
  checkFilter,
  checkKey,
  checkName,
  checkPositive,
  checkText,
  checkWebUrl,
  checkWhole,
  isTimeOfDay,
  isWebUrl,
  NO_TIME_OF_DAY,
  NO_WEB_URL,
  type Report,
} from './ruleChecks.ts';

/** The entities that fields refer to, by id. */
export interface Known extends Record<ReferredKind, { has(id: string): boolean }> {
  attributes: Map<string, Attribute>;
  byKey: AttributesByKey;
}

type Check = (report: Report, name: string, value: never, field: Field, known: Known) => void;

const mustName = ({ of }: Field): string => `must name an existing ${nounOf(of!)}`;

/** How values of a type of field are checked. null is no value, and always valid. */
const CHECKS: Partial<Record<FieldType, Check>> = {
  key: (report, _, value) => checkKey(report, value),
  name: (report, _, value) => checkName(report, value),
  text: (report, name, value: string, { charsMin, charsMax }) => {
    if (value.length < charsMin!) report(name, 'must not be empty');
    checkText(report, name, value, charsMax);
  },
  image: checkWebUrl,
  whole: (report, name, value: number, { minimum, maximum, not }) => {
    if (not === undefined) checkWhole(report, name, value, minimum!, maximum);
    else if (!Number.isInteger(value) || value === not)
      report(name, `must be a whole number other than ${not}`);
    else if (value < minimum! || value > maximum!) report(name, `must be from ${minimum} to ${maximum}`);
  },
  positive: checkPositive,
  factor: (report, name, value: number, { maximum: below }) => {
    if (!(value > 0 && value < below!) || value === 1)
      report(name, `must be greater than 0, less than ${below} and not 1`);
  },
  date: (report, name, value) => {
    if (!isDate(value)) report(name, 'must be an existing date, YYYY-MM-DD');
  },
  timeOfDay: (report, name, value) => {
    if (!isTimeOfDay(value)) report(name, NO_TIME_OF_DAY);
  },
  timeZone: (report, name, value) => {
    if (!isTimeZone(value)) report(name, `must be an IANA time zone, not ${value}`);
  },
  url: (report, name, value: string) => {
    checkText(report, name, value);
    if (!isWebUrl(value)) report(name, NO_WEB_URL);
    else if (new URL(value).username !== '') report(name, 'must not hold a user name or password');
  },
  choices: (report, name, values: string[]) => {
    if (values.length === 0) report(name, 'must name at least one value');
    if (new Set(values).size < values.length) report(name, 'names the same value twice');
  },
  id: (report, name, id, field, known) => {
    if (!known[field.of!].has(id)) report(name, mustName(field));
  },
  prerequisites: (report, name, value: Prerequisites, field, known) => {
    const { ids, needed } = prerequisitesOf({ achievementIds: value });
    const place = Array.isArray(value) ? name : `${name}.of`;
    if (!Array.isArray(value) && !(Number.isInteger(needed) && needed >= 1 && needed <= ids.length))
      report(`${name}.atLeast`, `must be a whole number from 1 to the length of the list, ${ids.length}`);
    for (const [index, id] of ids.entries()) {
      if (!known[field.of!].has(id)) report(`${place}[${index}]`, mustName(field));
      else if (ids.indexOf(id) < index)
        report(`${place}[${index}]`, `names the same ${nounOf(field.of!)} twice`);
    }
  },
  filter: (report, name, pairs: AttributeValue[], { ofAttributes }, known) =>
    checkFilter(report, name, pairs, ofAttributes!, known.attributes),
  attributeIds: (report, name, ids, _, known) =>
    checkAttributeIds(report, (index) => `${name}[${index}]`, ids, 'user', known.attributes),
  guards: (report, _, guards: Guards) => checkGuards(guards, report),
  condition: (report, name, condition, _, { byKey }) => checkCondition(report, name, condition, byKey),
  aggregate: (report, name, aggregate, _, { byKey }) => checkAggregate(report, name, aggregate, byKey.event),
};

/** What is looked up once for all entities of a kind. */
const PLANS = ofEachKind((kind) => {
  const { fields }: Kind = KINDS[kind];
  return {
    chosen: chosenFields(KINDS[kind]),
    checked: Object.entries(fields).filter(([, { type }]) => CHECKS[type]),
  };
});

/** Reports every fault that a field of an entity has by itself. */
export function checkEntity(kind: DeclaredKind, entity: object, report: Report, known: Known): void {
  const { chosen, checked } = PLANS[kind];
  if (chosen) checkFields(report, entity, chosen);
  const values = entity as Record<string, unknown>;
  for (const [name, field] of checked) {
    const value = values[name];
    if (value !== null) CHECKS[field.type]!(report, name, value as never, field, known);
  }
}
