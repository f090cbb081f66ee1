import { fileName } from '../../contract/fieldNames.ts';
import type { Kind, StoredOf } from '../../contract/kinds/kind.ts';
import type { FileItemOf } from '../../contract/kinds/kindSchemas.ts';
import { CONVERSIONS } from './conversions.ts';
import type { IdsByKey, KeysById } from './keysAndIds.ts';

/**
 * The entity of an item of a configuration file: keys become ids, missing fields get their default. Whether
 * it is valid is checked by src/admin/entities/configRules.ts.
 * @param path of the item in the file, for reporting unknown references
 */
export function fromFile<K extends Kind>(of: K, item: object, refs: IdsByKey, path: string): StoredOf<K> {
  const given = item as Record<string, unknown>;
  const stored = Object.entries(of.fields).map(([name, field]) => {
    const value = given[fileName(name)];
    if (value === undefined || value === null) return [name, field.default];
    const convert = CONVERSIONS[field.type]?.fromFile;
    return [name, convert ? convert(value as never, field, refs, `${path}.${fileName(name)}`) : value];
  });
  return Object.fromEntries(stored);
}

/** The inverse. What is empty in the entity is left out. */
export function toFile<K extends Kind>(of: K, entity: object, keys: KeysById): FileItemOf<K> {
  const stored = entity as Record<string, unknown>;
  const items = Object.entries(of.fields).flatMap(([name, { type }]) => {
    const value = stored[name];
    if (isEmpty(value)) return [];
    const convert = CONVERSIONS[type]?.toFile;
    return [[fileName(name), convert ? convert(value as never, keys) : value]];
  });
  return Object.fromEntries(items);
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);
