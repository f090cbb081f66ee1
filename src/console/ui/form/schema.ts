import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { ChosenFields } from '../../../contract/kinds/kind.ts';

export interface Choice {
  value: string;
  label: string;
  /** Beside the label: the key of an item. */
  detail?: string;
  /** URL of an image; null for an item that could have one. */
  badge?: string | null;
}

/** Choices of items that are named by their key. */
export const choicesOf = (items: readonly { key: string; name: string }[]): Choice[] =>
  items.map(({ key, name }) => ({ value: key, label: name, detail: key }));

/** The part of JSON Schema that forms understand. */
export interface Schema {
  type?: string;
  enum?: string[];
  /** Items that are searched by name; no part of JSON Schema. */
  choices?: Choice[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  pattern?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  not?: { const?: unknown };
  /** What a condition may look at; by default events, too. */
  'x-subject'?: 'user';
}

/** Fields that belong together. */
export interface Section {
  title: string | null;
  fields: readonly string[];
}

/** The schema of a form. */
export interface FormSchema extends Schema {
  sections?: Section[];
  /** Fields that exist for some values of another. */
  chosen?: ChosenFields | null;
  /** Fields that cannot be changed later. */
  fixed?: string[];
}

/** Put in by the build (vite.config.ts). */
declare const __FORM_SCHEMAS__: Record<FormName, FormSchema>;

export const schemaOf = (name: FormName): FormSchema => __FORM_SCHEMAS__[name];

export type Value = Record<string, unknown>;

/** The schema of a value that is not null, and whether null is allowed. */
export function unwrap(schema: Schema): { schema: Schema; isNullable: boolean } {
  const members = schema.anyOf ?? [];
  const inner = members.find(({ type }) => type !== 'null');
  if (inner === undefined) return { schema, isNullable: false };
  const isNullable = members.some(({ type }) => type === 'null');
  return { schema: { ...inner, description: schema.description ?? inner.description }, isNullable };
}

/** The configured items that a field chooses from. */
export interface Reference {
  path: '/metrics' | '/points' | '/achievements' | '/attributes';
  /** What is stored. */
  by: 'id' | 'key';
  /** Of attributes. */
  type?: 'user' | 'event';
}

/** @param path names of the fields from the outside to this one */
export function referenceOf(path: string[]): Reference | null {
  const name = path.at(-1)!;
  const type = path.includes('eventAttributes') ? 'event' : 'user';
  if (name === 'metricId') return { path: '/metrics', by: 'id' };
  if (name === 'pointsSystemId' || name === 'systemId') return { path: '/points', by: 'id' };
  if (name === 'achievementId' || name === 'achievementIds') return { path: '/achievements', by: 'id' };
  if (name === 'attributeId') return { path: '/attributes', by: 'id', type };
  if (name === 'breakdownAttributes') return { path: '/attributes', by: 'id', type: 'user' };
  return path.includes('metrics') && name === 'key' ? { path: '/metrics', by: 'key' } : null;
}

/** Initial value of a new item of a list. */
export function emptyValue(schema: Schema): unknown {
  return unwrap(schema).schema.type === 'object' ? {} : '';
}

/** Whether a value, or each field of an object, is empty. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isEmpty);
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The changed fields of a form; emptied fields are null. */
export function changesOf(initial: Value, value: Value): Value {
  const names = new Set([...Object.keys(initial), ...Object.keys(value)]);
  const changed = [...names].filter((name) => !isSame(initial[name] ?? null, value[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, value[name] ?? null]));
}

/** The value without its empty fields. */
export function filled(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => !isEmpty(one)));
}

/**
 * The key that a name suggests: "Été à Paris" → "ete-a-paris". Empty if the name has no letter or digit of
 * ASCII.
 */
export function keyFromName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
