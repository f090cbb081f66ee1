import { apiName } from '../../contract/fieldNames.ts';
import type { Field } from '../../contract/kinds/field.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import { CONVERSIONS } from './conversions.ts';
import type { Surroundings } from './findEntity.ts';

/** Items of requests and answers of the Admin API, and the entities that they describe. */

/** An item of a request, valid by the resource's schema. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of the operation has checked it
export type Item = any;

type Values = Record<string, unknown>;

/** The value of a field that a request leaves out or gives as null. */
const defaultOf = ({ default: usual, defaultInApi = usual }: Field): unknown => defaultInApi;

/** The values of these fields in a request that leaves them out. A field without a default must be given. */
const defaultsOf = (fields: [string, Field][]): Values =>
  Object.fromEntries(
    fields.map(([name, field]) => [name, defaultOf(field)]).filter(([, value]) => value !== undefined),
  );

/** The values of fields that a new item leaves out. */
export const newDefaults = ({ fields }: Kind): Values => defaultsOf(Object.entries(fields));

/** If the deciding field changes: the values of the fields that depend on it, which are reset. */
export const resetDefaults = ({ fields }: Kind): Values =>
  defaultsOf(Object.entries(fields).filter(([, { onlyFor }]) => onlyFor));

/** The fields that an item gives, as they are stored. */
export function fromRequest({ fields }: Kind, item: Item, at: Surroundings): Values {
  const given = Object.entries(fields).flatMap(([name, field]) => {
    const value = item[apiName(name)];
    if (value === undefined) return [];
    if (value === null) return [[name, defaultOf(field)]];
    const convert = CONVERSIONS[field.type]?.fromRequest;
    return [[name, convert ? convert(value as never, at) : value]];
  });
  return Object.fromEntries(given);
}

/** The entity as the Admin API shows it. */
export function toAnswer({ fields, choice }: Kind, entity: object): Values {
  const stored = entity as Values;
  const isShown = (field: Field, value: unknown): boolean => {
    const { type, onlyFor, isShownIfSet } = field;
    if (isShownIfSet && isDefault(field, value)) return false;
    // The published API shows flags of every choice.
    if (onlyFor === undefined || type === 'flag') return true;
    return value !== null && onlyFor.includes(String(stored[choice!]));
  };
  const shown = Object.entries(fields).flatMap(([name, field]) => {
    const value = stored[name];
    if (!isShown(field, value)) return [];
    const convert = CONVERSIONS[field.type]?.toAnswer;
    return [[apiName(name), convert && value !== null ? convert(value as never) : value]];
  });
  return { id: stored.id, ...Object.fromEntries(shown) };
}

const isDefault = (field: Field, value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : value === field.default;
