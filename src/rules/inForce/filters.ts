import type { AttributeValue } from '../config.ts';
import type { Rules } from './rules.ts';

/** The values that a filter asks for, by attribute number. */
export const numberedFilter = (rules: Rules, filter: readonly AttributeValue[]): Record<number, string> =>
  Object.fromEntries(
    filter.map(({ attributeId, attributeValue }) => [
      rules.byId('attributes', attributeId).no,
      attributeValue,
    ]),
  );

/** Whether values, by attribute number, meet all conditions of a filter. */
export const matchesAll = (
  rules: Rules,
  filter: readonly AttributeValue[],
  values: ReadonlyMap<number, string>,
): boolean =>
  filter.every(
    ({ attributeId, attributeValue }) =>
      values.get(rules.byId('attributes', attributeId).no) === attributeValue,
  );
