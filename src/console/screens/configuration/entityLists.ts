import { type ComponentChildren, h } from 'preact';
import {
  CHOSEN_FIELDS,
  type ChosenFields,
  FIXED_FIELDS,
  type FieldTable,
} from '../../../contract/entityFields.ts';
import type { FormName } from '../../../contract/formSchemas.ts';
import { formatDate, formatNumber } from '../../format.ts';
import { choiceName } from '../../ui/form/labels.ts';
import type { Value } from '../../ui/form/schema.ts';
import { Tag } from '../../ui/Tiles.tsx';

/** A configured item, of any kind. */
export interface Item extends Value {
  id: string;
  name?: string;
  key?: string;
  /** Of items that can have one. */
  badge?: { url: string } | null;
}

/** A kind of configured items: what its list and its form show. */
export interface Kind {
  /** In addresses of the console and of the form's schema. */
  name: FormName;
  /** In the API. Parts of a points system come below `/points/{id}`. */
  path: string;
  one: string;
  many: string;
  /** What it is for, where there is none yet. */
  purpose: string;
  columns: { title: string; isNumber?: boolean; cell(item: Item): ComponentChildren }[];
  /** What does not come back if the item is deleted and made again; null if nothing is lost. */
  lost: string | null;
  /** Fields that cannot be changed later. */
  fixed: readonly string[];
  /** What the form begins with. */
  initial: Value;
  /** Whether a field fits what is chosen in the others, and whether it must be filled in then. */
  isShown(field: string, value: Value): boolean;
  isNeeded(field: string, value: Value): boolean;
}

/** Kinds of forms that have another name in the configuration. */
const ENTITY_OF: Partial<Record<FormName, string>> = {
  points: 'pointsSystems',
  levels: 'pointsLevels',
  boosts: 'pointsBoosts',
  triggers: 'pointsTriggers',
};

/** Fields that have forms of their own. */
const ELSEWHERE: Partial<Record<FormName, readonly string[]>> = { points: ['levels', 'boosts', 'triggers'] };

/** Whether a field exists for what is chosen in the others. */
function fits(name: FormName, field: string, value: Value): boolean {
  if (ELSEWHERE[name]?.includes(field)) return false;
  if (name === 'templates' && field === 'frequency') return value.type === 'recap';
  if (name === 'leaderboards' && field === 'runInterval') return Boolean(value.runUnit);
  const rows = Object.values(chosenFields(name)?.table ?? {});
  if (!rows.some((row) => has(row, field))) return true;
  const row = chosenRow(name, value);
  return row !== undefined && has(row, field);
}

/** Whether a field must be filled in for what is chosen in the others. */
function needs(name: FormName, field: string, value: Value): boolean {
  // An achievement whose backend completes it is named by its key in calls.
  if (name === 'achievements' && field === 'key') return value.trigger === 'api';
  if (name === 'leaderboards' && field === 'runInterval') return Boolean(value.runUnit);
  return chosenRow(name, value)?.needs.includes(field) ?? false;
}

const chosenFields = (name: FormName): ChosenFields | undefined =>
  (CHOSEN_FIELDS as Record<string, ChosenFields>)[ENTITY_OF[name] ?? name];

function chosenRow(name: FormName, value: Value): FieldTable[string] | undefined {
  const chosen = chosenFields(name);
  return chosen?.table[String(value[chosen.choice])];
}

const has = ({ needs, allows = [] }: FieldTable[string], field: string): boolean =>
  needs.includes(field) || allows.includes(field);

const text = (field: string) => (item: Item) => String(item[field] ?? '');
const KEY = { title: 'Key', cell: text('key') };
const choice = (field: string) => (item: Item) => choiceName([field], String(item[field]));
const number = (field: string) => (item: Item) => formatNumber(item[field] as number);
const date = (field: string) => (item: Item) => formatDate(item[field] as string);
/** What becomes of events that the guards of a metric do not let through. */
const guards = (item: Item): string => {
  const of = item.guards as { action?: string } | null | undefined;
  return of ? choiceName(['guards', 'action'], of.action ?? 'refuse') : '';
};
const STATUS = { title: 'Status', cell: ({ status }: Item) => h(Tag, { text: String(status) }) };

function kind(definition: Pick<Kind, 'name' | 'path' | 'one' | 'many' | 'purpose'> & Partial<Kind>): Kind {
  const { name } = definition;
  const fixed = (FIXED_FIELDS as Record<string, readonly string[]>)[ENTITY_OF[name] ?? name] ?? [];
  return {
    columns: [KEY],
    lost: 'what users did with it begins anew',
    fixed,
    initial: {},
    isShown: (field, value) => fits(name, field, value),
    isNeeded: (field, value) => needs(name, field, value),
    ...definition,
  };
}

export const KINDS: Kind[] = [
  kind({
    name: 'metrics',
    path: '/metrics',
    one: 'metric',
    many: 'Metrics',
    purpose: 'A metric counts what users do, such as completed lessons. Everything else builds on metrics.',
    columns: [KEY, { title: 'Guards', cell: guards }],
  }),
  kind({
    name: 'achievements',
    path: '/achievements',
    one: 'achievement',
    many: 'Achievements',
    purpose:
      'An achievement is completed once, by a total, a streak, other achievements, years since the sign-up date or your backend.',
    columns: [KEY, { title: 'What completes it', cell: choice('trigger') }, STATUS],
    initial: { trigger: 'metric', status: 'active' },
  }),
  kind({
    name: 'points',
    path: '/points',
    one: 'points system',
    many: 'Points',
    purpose: 'A points system awards points by its triggers and has levels and boosts.',
    columns: [KEY, STATUS],
  }),
  kind({
    name: 'leaderboards',
    path: '/leaderboards',
    one: 'leaderboard',
    many: 'Leaderboards',
    purpose: 'A leaderboard ranks users by a metric, points or the streak, for ever or in runs.',
    columns: [KEY, { title: 'Ranked by', cell: choice('rankBy') }, STATUS],
    initial: { rankBy: 'metric', status: 'active' },
  }),
  kind({
    name: 'attributes',
    path: '/attributes',
    one: 'attribute',
    many: 'Attributes',
    purpose: 'An attribute describes users (such as their city) or events (such as the device).',
    columns: [KEY, { title: 'Of', cell: (item) => `${item.type}s` }],
    initial: { type: 'user' },
  }),
  kind({
    name: 'webhooks',
    path: '/webhooks',
    one: 'webhook',
    many: 'Webhooks',
    purpose: 'A webhook reports to a URL of yours what happens to users.',
    lost: 'it gets a new secret',
    columns: [{ title: 'URL', cell: text('url') }, STATUS],
    initial: { status: 'active' },
  }),
  kind({
    name: 'templates',
    path: '/notifications/templates',
    one: 'template',
    many: 'Templates',
    purpose: 'A template says how an email or a push notification reads.',
    lost: null,
    columns: [{ title: 'Type', cell: choice('type') }, { title: 'Channel', cell: choice('channel') }, STATUS],
    initial: { type: 'achievement_completed', channel: 'email', status: 'active' },
  }),
];

/** What belongs to a points system. */
export const PARTS: Kind[] = [
  kind({
    name: 'triggers',
    path: '/triggers',
    one: 'trigger',
    many: 'Triggers',
    purpose: 'A trigger awards points, or takes them.',
    columns: [{ title: 'Points', isNumber: true, cell: number('points') }, STATUS],
    initial: { type: 'metric', status: 'active' },
  }),
  kind({
    name: 'levels',
    path: '/levels',
    one: 'level',
    many: 'Levels',
    purpose: 'A level is reached with a total of points.',
    columns: [KEY, { title: 'Points', isNumber: true, cell: number('points') }],
  }),
  kind({
    name: 'boosts',
    path: '/boosts',
    one: 'boost',
    many: 'Boosts',
    purpose: 'A boost multiplies awards for some days.',
    columns: [
      { title: 'Factor', isNumber: true, cell: number('multiplier') },
      { title: 'From', cell: date('start') },
      { title: 'Until', cell: date('end') },
      STATUS,
    ],
  }),
];

export const nameOf = (item: Item): string => item.name ?? item.key ?? String(item.type ?? item.id);

/** The URL of the badge; null if the item could have one, undefined if its kind has none. */
export const badgeOf = ({ badge }: Item): string | null | undefined => (badge === null ? null : badge?.url);

/** Stored lists of pairs have other fields in some answers; forms want those of the request. */
export function formValue(kind: Kind, item: Item): Value {
  const { properties = {} } = __FORM_SCHEMAS__[kind.name];
  const known = Object.keys(properties);
  const entries = Object.entries(item).filter(([field, value]) => known.includes(field) && value !== null);
  return Object.fromEntries(entries);
}
