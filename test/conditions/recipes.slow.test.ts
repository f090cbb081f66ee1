import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { item, metricBoard, xp } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Each recipe of docs/conditions.md is applied, and does what its wish says. */

const RECIPES = new Map(
  (await readFile('docs/conditions.md', 'utf8'))
    .split('## Recipes')[1]!
    .split('\n')
    .filter((line) => /^\| .*`/.test(line))
    .map((line) => {
      const [wish, fields] = line.slice(2).split(' | ');
      const written = [...fields!.matchAll(/`([^`]+)`/g)].map(([, field]) => field).join(', ');
      return [wish!, { fields: parse(`{ ${written} }`) as Json, kind: fields!.split(' ')[0]! }] as const;
    }),
);

const typed = (key: string, valueType: string) => item(key, { valueType });
const BASE = {
  attributes: {
    event: [
      ...['language', 'skill', 'product'].map((key) => item(key)),
      ...['distance', 'mistakes'].map((key) => typed(key, 'number')),
      typed('indoors', 'boolean'),
    ],
    user: [item('plan')],
  },
  metrics: [item('runs')],
};
const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;
/** A Monday. */
const START = Date.parse('2027-03-01T00:00:00.000Z');

interface Sent {
  /** Hours after the beginning of the week. */
  at?: number;
  value?: number;
  attributes?: Json;
  user?: Json;
}

const times = (count: number, sent: Sent = {}): Sent[] => Array.from({ length: count }, () => sent);
const [SATURDAY, NIGHT] = [5 * 24, 23];

/** Events of which the last one fulfils the wish, and none before does. */
const EVENTS: Record<string, Sent[]> = {
  'three different days in a week': [{ at: 1 }, { at: 2 }, { at: 25 }, { at: 50 }],
  'a bonus for every day with five lessons': times(5),
  'five lessons in a day': times(5),
  'lessons in three languages': ['de', 'de', 'fr', 'it'].map((language) => ({ attributes: { language } })),
  '300 minutes in a month': [{ value: 200 }, { value: 100 }],
  '10 km in one run': [{ attributes: { distance: 9.9 } }, { attributes: { distance: 10 } }],
  '10 km in one run before seven': [
    { at: 3, attributes: { distance: 12 } },
    { at: 6, attributes: { distance: 9 } },
    { at: 6, attributes: { distance: 10 } },
  ],
  'ten lessons at night': [...times(3, { at: 12 }), ...times(10, { at: NIGHT })],
  '100 km outdoors': [
    { attributes: { distance: 90, indoors: true } },
    { attributes: { distance: 60, indoors: false } },
    { attributes: { distance: 40 } },
  ],
  'twenty lessons in speaking or listening': [
    ...times(1, { attributes: { skill: 'reading' } }),
    ...times(19, { attributes: { skill: 'speaking' } }),
    { attributes: { skill: 'listening' } },
  ],
  'five long sessions at a weekend': [
    { at: 12, value: 60 },
    { at: SATURDAY, value: 20 },
    ...times(5, { at: SATURDAY, value: 30 }),
  ],
  'a purchase of 50 or more, but no gift card': [
    { value: 60, attributes: { product: 'gift-card' } },
    { value: 40 },
    { value: 50, attributes: { product: 'shoes' } },
  ],
  '5 XP for each kilometer': [{ attributes: { distance: 0.5 } }, { attributes: { distance: 2.5 } }],
  '20 XP for a lesson without mistakes': [{ attributes: { mistakes: 1 } }, { attributes: { mistakes: 0 } }],
  '2 XP more for each lesson of a paying user': [
    { user: { attributes: { plan: 'free' } } },
    { user: { attributes: { plan: 'pro' } } },
  ],
  'most runs of the week, whatever their length': [{ value: 7 }],
};
const POINTS: Record<string, number> = {
  '5 XP for each kilometer': 15,
  '20 XP for a lesson without mistakes': 20,
  '2 XP more for each lesson of a paying user': 2,
};

const server = useServer({ config: BASE, now: new Date(START).toISOString(), tenantEach: true });
const { admin } = server;

async function send(events: readonly Sent[]): Promise<Json[]> {
  const answers: Json[] = [];
  // Each test has a week of its own.
  const start = START + WEEK_MS * Math.ceil((server.clock.now() - START) / WEEK_MS);
  await server.moveTo(start);
  for (const { at = 0, value = 1, attributes, user } of events) {
    if (start + at * HOUR_MS > server.clock.now()) await server.moveTo(start + at * HOUR_MS);
    answers.push(await server.record({ id: 'ann', tz: 'UTC', ...user }, value, 'runs', { attributes }));
  }
  return answers;
}

function configOf({ kind, fields }: { kind: string; fields: Json }): Json {
  if (kind === 'trigger') return { points: [xp([{ type: 'metric', metric: 'runs', ...fields }])] };
  if (kind === 'leaderboard') return { leaderboards: [metricBoard('wish', { metric: 'runs', ...fields })] };
  return { achievements: [{ ...item('wish'), trigger: 'metric', metric: 'runs', ...fields }] };
}

test('all recipes are here', () => {
  expect([...RECIPES.keys()].filter((wish) => wish !== FIVE_OF_EIGHT).sort()).toEqual(
    Object.keys(EVENTS).sort(),
  );
});

const FIVE_OF_EIGHT = 'five of these eight achievements';

test.each(Object.keys(EVENTS))('%s', async (wish) => {
  const recipe = RECIPES.get(wish)!;
  const { status, body } = await admin('PUT', '/config', { ...BASE, ...configOf(recipe) });
  expect([status, body]).toMatchObject([200, {}]);
  const answers = await send(EVENTS[wish]!);
  const [last, ...earlier] = answers.reverse();
  const gains = ({ achievements, points }: Json): Json => [achievements.length, points.xp?.added ?? 0];
  if (recipe.kind === 'leaderboard') {
    expect(last.leaderboards.wish.rank).toBe(1);
    const { rankings } = await server.get('/v1/leaderboards/wish');
    expect(rankings).toMatchObject([{ userId: 'ann', value: 1 }]);
    return;
  }
  expect(gains(last)).toEqual(recipe.kind === 'trigger' ? [0, POINTS[wish]] : [1, 0]);
  for (const answer of earlier) expect(gains(answer)).toEqual([0, 0]);
});

test(FIVE_OF_EIGHT, async () => {
  const { fields } = RECIPES.get(FIVE_OF_EIGHT)!;
  const steps = fields.achievements.of.map((key: string, i: number) => ({
    ...item(key),
    ...{ trigger: 'metric', metric: 'runs', metricValue: i + 1 },
  }));
  const config = { ...BASE, achievements: [...steps, { ...item('wish'), ...fields }] };
  expect((await admin('PUT', '/config', config)).status).toBe(200);
  const keys = (await send(times(5))).map(({ achievements }) => achievements.map(({ key }: Json) => key));
  expect(keys.findIndex((of) => of.includes('wish'))).toBe(4);
});
