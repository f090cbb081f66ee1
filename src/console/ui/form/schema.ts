export interface Choice {
  value: string;
  label: string;
  /** Beside the label: the key of an item. */
  detail?: string;
  /** URL of an image; null for an item that could have one. */
  badge?: string | null;
}

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
}

export type Value = Record<string, unknown>;

/** The schema of a value that is not null, and whether null is allowed. */
export function unwrap(schema: Schema): { schema: Schema; isNullable: boolean } {
  const members = schema.anyOf ?? [];
  const inner = members.find(({ type }) => type !== 'null');
  if (inner === undefined) return { schema, isNullable: false };
  const isNullable = members.some(({ type }) => type === 'null');
  return { schema: { ...inner, description: schema.description ?? inner.description }, isNullable };
}

/** Which of the configured items a field chooses from. */
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

/** What a new item of a list begins with. */
export function emptyValue(schema: Schema): unknown {
  return unwrap(schema).schema.type === 'object' ? {} : '';
}

/** Whether nothing was filled in; in an object, in none of its fields. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isEmpty);
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** What a form has changed: fields that were emptied become null, those that stayed are left out. */
export function changesOf(initial: Value, value: Value): Value {
  const names = new Set([...Object.keys(initial), ...Object.keys(value)]);
  const changed = [...names].filter((name) => !isSame(initial[name] ?? null, value[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, value[name] ?? null]));
}

/** Without fields that were left empty. */
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
