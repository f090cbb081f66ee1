import {
  ATTRIBUTE_VALUE_CHARS_MAX,
  EVENT_VALUE_MAX,
  NAME_CHARS_MAX,
  TEXT_CHARS_MAX,
} from '../../base/limits.ts';
import { isStorable } from '../../base/text.ts';
import type { ChosenFields } from '../../contract/kinds/kind.ts';
import { KEY_PATTERN, TIME_OF_DAY_PATTERN } from '../../contract/schemas.ts';
import type { Attribute, AttributeValue, EntityKind } from '../../rules/config.ts';

/** One fault of one field of a configuration. */
export interface ConfigIssue {
  kind: EntityKind | 'streak' | 'settings';
  /** null for the streak and the settings. */
  id: string | null;
  /** As in src/rules/config.ts, with an index where it is a list: `achievementIds[1]`. */
  field: string;
  /** To be read after the name of the field. */
  message: string;
}

export type Report = (field: string, message: string) => void;

const TIME_OF_DAY = new RegExp(TIME_OF_DAY_PATTERN);
export const NO_TIME_OF_DAY = 'must be a time of day, HH:MM or HH:MM:SS';
export const isTimeOfDay = (value: unknown): value is string =>
  typeof value === 'string' && TIME_OF_DAY.test(value);

const KEY = new RegExp(KEY_PATTERN);
/** Matches the pattern, but cannot be a key of a JavaScript object. */
const KEY_OF_JAVASCRIPT = '__proto__';

export function checkKey(report: Report, key: string): void {
  if (key === '') report('key', 'is required');
  else if (!KEY.test(key)) report('key', 'must consist of letters, digits, "-" and "_"');
  else if (key === KEY_OF_JAVASCRIPT) report('key', `must not be ${KEY_OF_JAVASCRIPT}`);
  else if (key.length > NAME_CHARS_MAX) report('key', `must not be longer than ${NAME_CHARS_MAX} characters`);
}

export function checkText(
  report: Report,
  field: string,
  text: string | null,
  charsMax = TEXT_CHARS_MAX,
): void {
  if (text === null) return;
  if (text.length > charsMax) report(field, `must not be longer than ${charsMax} characters`);
  else if (!isStorable(text)) report(field, 'must be valid text');
}

export const NO_WEB_URL = 'must be a whole URL of http or https';

/** URL parsers remove line breaks and tabs, so they are refused here. */
export function isWebUrl(text: string): boolean {
  return !/[\s\p{Cc}]/u.test(text) && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** null passes. */
export function checkWebUrl(report: Report, field: string, url: string | null): void {
  if (url === null) return;
  if (url === '') report(field, 'must not be empty');
  else if (!isWebUrl(url) && url.length <= TEXT_CHARS_MAX) report(field, NO_WEB_URL);
  else checkText(report, field, url);
}

export function checkName(report: Report, name: string): void {
  if (name.trim() === '') report('name', 'must not be empty');
  else checkText(report, 'name', name, NAME_CHARS_MAX);
}

const TOO_GREAT = `must not be greater than ${EVENT_VALUE_MAX}`;

/** null is valid here; `checkFields` checks required fields. */
export function checkWhole(
  report: Report,
  field: string,
  value: number | null,
  min: number,
  max = EVENT_VALUE_MAX,
): void {
  if (value === null || (Number.isInteger(value) && value >= min && value <= max)) return;
  if (max !== EVENT_VALUE_MAX) report(field, `must be a whole number from ${min} to ${max}`);
  else report(field, value > max ? TOO_GREAT : `must be a whole number of at least ${min}`);
}

export function checkPositive(report: Report, field: string, value: number | null): void {
  if (value === null || (value > 0 && value <= EVENT_VALUE_MAX)) return;
  report(field, value > 0 ? TOO_GREAT : 'must be greater than 0');
}

/** Reports fields that the chosen value needs and the entity lacks, and fields that it does not allow. */
export function checkFields(report: Report, entity: object, { choice, table }: ChosenFields): void {
  const values = entity as Record<string, unknown>;
  const chosen = String(values[choice]);
  const isSet = (field: string): boolean => {
    const value = values[field];
    return Array.isArray(value) ? value.length > 0 : value !== null && value !== false;
  };
  const { needs, allows } = table[chosen]!;
  for (const field of needs) {
    if (!isSet(field)) report(field, `is required when ${choice} is ${chosen}`);
  }
  const known = new Set(Object.values(table).flatMap((row) => [...row.needs, ...row.allows]));
  for (const field of known) {
    if (isSet(field) && !needs.includes(field) && !allows.includes(field)) {
      report(field, `must be left out when ${choice} is ${chosen}`);
    }
  }
}

/** Each attribute must exist, be of the right type, and appear once. */
export function checkAttributeIds(
  report: Report,
  field: (index: number) => string,
  ids: string[],
  type: Attribute['type'],
  attributes: Map<string, Attribute>,
): void {
  ids.forEach((id, index) => {
    if (attributes.get(id)?.type !== type) report(field(index), `must name an existing ${type} attribute`);
    else if (ids.indexOf(id) < index) report(field(index), 'names the same attribute twice');
  });
}

export function checkFilter(
  report: Report,
  field: string,
  filter: AttributeValue[],
  type: Attribute['type'],
  attributes: Map<string, Attribute>,
): void {
  const ids = filter.map((pair) => pair.attributeId);
  checkAttributeIds(report, () => field, ids, type, attributes);
  for (const { attributeValue } of filter) {
    if (attributeValue === '') report(field, 'must not have an empty value');
    else checkText(report, field, attributeValue, ATTRIBUTE_VALUE_CHARS_MAX);
  }
}
