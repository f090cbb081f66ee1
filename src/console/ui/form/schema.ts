import type { FormName } from '../../../contract/formSchemas.ts';
import { words } from '../../format.ts';

/** The part of JSON Schema that forms understand. */
export interface Schema {
  type?: string;
  enum?: string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  description?: string;
  minimum?: number;
  maximum?: number;
}

export type Value = Record<string, unknown>;

export const schemaOf = (name: FormName): Schema => __FORM_SCHEMAS__[name];

/** The schema of a value that is not null, and whether null is allowed. */
export function unwrap(schema: Schema): { schema: Schema; isNullable: boolean } {
  const members = schema.anyOf ?? [];
  const inner = members.find(({ type }) => type !== 'null');
  if (inner === undefined) return { schema, isNullable: false };
  const isNullable = members.some(({ type }) => type === 'null');
  return { schema: { ...inner, description: schema.description ?? inner.description }, isNullable };
}

const LABELS: Record<string, string> = {
  metricId: 'Metric',
  pointsSystemId: 'Points system',
  achievementId: 'Achievement',
  achievementIds: 'Achievements to complete first',
  attributeId: 'Attribute',
  attributeValue: 'Value',
  rankBy: 'Rank by',
  url: 'URL',
  appName: 'Name of the app',
  appUrl: 'URL of the app',
  appIcon: 'Icon of the app',
  userActivationWindow: 'Days that count as early',
  tz: 'Time zone',
  runUnit: 'Unit of a run',
  runInterval: 'Length of a run',
  timeUnit: 'Unit of time',
  timeInterval: 'Every',
  controlRatio: 'Percent in the control group',
  customizationEnabled: 'Users may choose their own',
  autoEarnInterval: 'Days until some are earned',
  autoEarnAmount: 'Earned each time',
  maxCount: 'Most that a user can have',
  startCount: 'Given to new users',
};

/** @param path names of the fields from the outside to this one */
export function labelOf(path: string[]): string {
  const name = path.at(-1)!;
  // A metric of the streak is named by its key.
  return path.at(-2) === 'metrics' && name === 'key' ? 'Metric' : (LABELS[name] ?? words(name));
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
  if (name === 'pointsSystemId') return { path: '/points', by: 'id' };
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
