import { sortFilter } from '../../engine/configuration/configDraft.ts';
import type { AttributeValue } from '../../rules/config.ts';

/** What the forms of several kinds of entities share. */

/** Leaves out the fields that are null. */
export function present<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>;
}

const readFilter = (pairs: AttributeValue[] | null): AttributeValue[] =>
  sortFilter((pairs ?? []).map(({ attributeId, attributeValue }) => ({ attributeId, attributeValue })));

export const filters = {
  userAttributes: (value: AttributeValue[] | null) => ({ userAttributes: readFilter(value) }),
  eventAttributes: (value: AttributeValue[] | null) => ({ eventAttributes: readFilter(value) }),
};

/** If the field `choice` changes, the fields that depend on it are reset unless they were given. */
export function clearOnChoice<T extends object>(choice: keyof T, defaults: Partial<T>) {
  return (body: T, given: Partial<T>, before: T | null): T => {
    if (before === null || body[choice] === before[choice]) return body;
    return { ...body, ...defaults, ...given };
  };
}
