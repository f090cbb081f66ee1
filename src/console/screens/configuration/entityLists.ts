import { type ComponentChildren, h } from 'preact';
import type { FormName } from '../../../contract/configured/formSchemas.ts';
import type { FieldTable } from '../../../contract/kinds/kind.ts';
import { formatDate, formatNumber } from '../../text/format.ts';
import { t, translated } from '../../text/translate.ts';
import { choiceName } from '../../ui/form/labels.ts';
import { schemaOf, type Value } from '../../ui/form/schema.ts';
import { StatusTag } from '../../ui/Tiles.tsx';

/** A configured item, of any kind. */
export interface Item extends Value {
  id: string;
  name?: string;
  key?: string;
  /** Of items that can have one. */
  badge?: { url: string } | null;
}

/** A kind of configured items, with its list and its form. */
export interface Kind {
  /** In addresses of the console and of the form's schema. */
  name: FormName;
  /** In the API. Parts of a points system come below `/points/{id}`. */
  path: string;
  one: string;
  many: string;
  /** Title of the empty list, and what creates an item. */
  none: string;
  create: string;
  /** Shown in the empty list and above the form of a new item. */
  purpose: string;
  columns: { title: string; isNumber?: boolean; cell(item: Item): ComponentChildren }[];
  /** What is lost if the item is deleted and created again; null if nothing is lost. */
  lost: string | null;
  /** Fields that cannot be changed later. */
  fixed: readonly string[];
  /** Initial values of the form. */
  initial: Value;
  /** Whether a field applies to the values of the others, and whether it is then required. */
  isShown(field: string, value: Value): boolean;
  isNeeded(field: string, value: Value): boolean;
}

const hasRuns = (name: FormName): boolean => name === 'leaderboards' || name === 'challenges';

/** Whether a field applies to the values of the others. */
function fits(name: FormName, field: string, value: Value): boolean {
  if (hasRuns(name) && field === 'runInterval') return Boolean(value.runUnit);
  const rows = Object.values(schemaOf(name).chosen?.table ?? {});
  if (!rows.some((row) => has(row, field))) return true;
  const row = chosenRow(name, value);
  return row !== undefined && has(row, field);
}

/** Whether a field is required for the values of the others. */
function needs(name: FormName, field: string, value: Value): boolean {
  // A backend completes achievements by their key.
  if (name === 'achievements' && field === 'key') return value.trigger === 'api';
  if (hasRuns(name) && field === 'runInterval') return Boolean(value.runUnit);
  return chosenRow(name, value)?.needs.includes(field) ?? false;
}

function chosenRow(name: FormName, value: Value): FieldTable[string] | undefined {
  const { chosen } = schemaOf(name);
  return chosen?.table[String(value[chosen.choice])];
}

const has = ({ needs, allows = [] }: FieldTable[string], field: string): boolean =>
  needs.includes(field) || allows.includes(field);

const text = (field: string) => (item: Item) => String(item[field] ?? '');
const KEY = { title: t('Key'), cell: text('key') };
const choice = (field: string) => (item: Item) => choiceName([field], String(item[field]));
const number = (field: string) => (item: Item) => formatNumber(item[field] as number);
const date = (field: string) => (item: Item) => formatDate(item[field] as string);
/** The action of the guards of a metric. */
const guards = (item: Item): string => {
  const of = item.guards as { action?: string } | null | undefined;
  return of ? choiceName(['guards', 'action'], of.action ?? 'refuse') : '';
};
const STATUS = { title: t('Status'), cell: ({ status }: Item) => h(StatusTag, { status: String(status) }) };

function kind(
  definition: Pick<Kind, 'name' | 'one' | 'many' | 'none' | 'create' | 'purpose'> & Partial<Kind>,
): Kind {
  const { name } = definition;
  return {
    path: `/${name}`,
    columns: [KEY],
    lost: t('the progress of users starts again'),
    fixed: schemaOf(name).fixed ?? [],
    initial: {},
    isShown: (field, value) => fits(name, field, value),
    isNeeded: (field, value) => needs(name, field, value),
    ...definition,
  };
}

export const KINDS: Kind[] = [
  kind({
    name: 'metrics',
    one: t('metric'),
    many: t('Metrics'),
    none: t('No metrics yet'),
    create: t('Create a metric'),
    purpose: t(
      'A metric counts what users do, such as completed lessons. Everything else builds on metrics.',
    ),
    columns: [KEY, { title: t('Guards'), cell: guards }],
  }),
  kind({
    name: 'achievements',
    one: t('achievement'),
    many: t('Achievements'),
    none: t('No achievements yet'),
    create: t('Create an achievement'),
    purpose: t(
      'An achievement is completed once: by a total, a streak, other achievements, an anniversary of the sign-up date or your backend.',
    ),
    columns: [KEY, { title: t('Completed by'), cell: choice('trigger') }, STATUS],
    initial: { trigger: 'metric', status: 'active' },
  }),
  kind({
    name: 'points',
    one: t('points system'),
    many: t('Points'),
    none: t('No points systems yet'),
    create: t('Create a points system'),
    purpose: t('A points system awards points by triggers. It can have levels and boosts.'),
    columns: [KEY, STATUS],
  }),
  kind({
    name: 'leaderboards',
    one: t('leaderboard'),
    many: t('Leaderboards'),
    none: t('No leaderboards yet'),
    create: t('Create a leaderboard'),
    purpose: t('A leaderboard ranks users by a metric, points or the streak, for all time or in runs.'),
    columns: [KEY, { title: t('Ranked by'), cell: choice('rankBy') }, STATUS],
    initial: { rankBy: 'metric', status: 'active' },
  }),
  kind({
    name: 'challenges',
    one: t('challenge'),
    many: t('Challenges'),
    none: t('No challenges yet'),
    create: t('Create a challenge'),
    purpose: t(
      'A challenge has goals that users can reach within a day, a week or another time, and a reward for them.',
    ),
    columns: [
      KEY,
      { title: t('Start'), cell: date('start') },
      { title: t('End'), cell: date('end') },
      STATUS,
    ],
    initial: { runUnit: 'week', runInterval: 1, complete: 'all', status: 'active' },
  }),
  kind({
    name: 'attributes',
    one: t('attribute'),
    many: t('Attributes'),
    none: t('No attributes yet'),
    create: t('Create an attribute'),
    purpose: t('An attribute describes users, such as their city, or events, such as the device.'),
    columns: [KEY, { title: t('Applies to'), cell: (item) => translated(`${item.type}s`) }],
    initial: { type: 'user' },
  }),
  kind({
    name: 'webhooks',
    one: t('webhook'),
    many: t('Webhooks'),
    none: t('No webhooks yet'),
    create: t('Create a webhook'),
    purpose: t('A webhook notifies your backend of what happens to users.'),
    lost: t('it gets a new secret'),
    columns: [{ title: t('URL'), cell: text('url') }, STATUS],
    initial: { status: 'active' },
  }),
  kind({
    name: 'templates',
    path: '/notifications/templates',
    one: t('template'),
    many: t('Templates'),
    none: t('No templates yet'),
    create: t('Create a template'),
    purpose: t('A template defines an email or push notification.'),
    lost: null,
    columns: [
      { title: t('Type'), cell: choice('type') },
      { title: t('Channel'), cell: choice('channel') },
      STATUS,
    ],
    initial: { type: 'achievement_completed', channel: 'email', status: 'active' },
  }),
];

/** What belongs to a points system. */
export const PARTS: Kind[] = [
  kind({
    name: 'triggers',
    one: t('trigger'),
    many: t('Triggers'),
    none: t('No triggers yet'),
    create: t('Create a trigger'),
    purpose: t('A trigger awards or takes points.'),
    columns: [{ title: t('Points'), isNumber: true, cell: number('points') }, STATUS],
    initial: { type: 'metric', status: 'active' },
  }),
  kind({
    name: 'levels',
    one: t('level'),
    many: t('Levels'),
    none: t('No levels yet'),
    create: t('Create a level'),
    purpose: t('Users reach a level with a total of points.'),
    columns: [KEY, { title: t('Points'), isNumber: true, cell: number('points') }],
  }),
  kind({
    name: 'boosts',
    one: t('boost'),
    many: t('Boosts'),
    none: t('No boosts yet'),
    create: t('Create a boost'),
    purpose: t('A boost multiplies awarded points for a number of days.'),
    columns: [
      { title: t('Factor'), isNumber: true, cell: number('multiplier') },
      { title: t('Start'), cell: date('start') },
      { title: t('End'), cell: date('end') },
      STATUS,
    ],
  }),
];

export const nameOf = (item: Item): string => item.name ?? item.key ?? String(item.type ?? item.id);

/** The URL of the badge; null if the item could have one, undefined if its kind has none. */
export const badgeOf = ({ badge }: Item): string | null | undefined => (badge === null ? null : badge?.url);

/** The fields of the form. Answers have other fields, too. */
export function formValue(kind: Kind, item: Item): Value {
  const { properties = {} } = schemaOf(kind.name);
  const known = Object.keys(properties);
  const entries = Object.entries(item).filter(([field, value]) => known.includes(field) && value !== null);
  return Object.fromEntries(entries);
}
