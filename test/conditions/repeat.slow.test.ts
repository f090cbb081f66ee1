import { beforeEach, expect, test } from 'vitest';
import { achievement, item, lessonStreak, xp } from '../support/items.ts';
import { putInForce } from '../support/putInForce.ts';
import type { Json } from '../support/reading.ts';
import { DAY_MS } from '../support/testTime.ts';
import { useWebhooks } from '../support/webhooks.ts';

/** Achievements that are completed once in every day, week or month. */

const WEEK = achievement('week', 3, { aggregate: 'count', per: 'week', repeat: 'week' });
const DAY = achievement('day', 2, { aggregate: 'count', per: 'day', repeat: 'day' });
const CHAINED = item('chained', { trigger: 'achievement', achievements: ['week'] });
const CONFIG = {
  attributes: { user: [item('plan')] },
  metrics: [item('lessons')],
  streak: lessonStreak(),
  settings: { lateEvents: { maxAgeSeconds: 30 * 86_400 } },
  achievements: [WEEK, DAY, CHAINED],
  points: [
    xp([
      { type: 'achievement', achievement: 'week', points: 10 },
      { type: 'achievement', achievement: 'chained', points: 1 },
    ]),
  ],
};
const server = useWebhooks(CONFIG, { relay: true, tenantEach: true });
const { admin, call } = server;

/** A Monday, 20 weeks after that of the test before. */
let start = Date.parse('2027-02-01T12:00:00Z');
beforeEach(() => {
  start += 20 * 7 * DAY_MS;
});
const dayAt = (day: number): number => start + day * DAY_MS;
const moveTo = (day: number): Promise<unknown> => server.moveTo(dayAt(day));

/** Keys of what an event completes, each with the number of times. */
async function send(more: object = {}, user = 'ann'): Promise<Record<string, number | undefined>> {
  const { achievements } = await server.record(user, 1, 'lessons', more);
  return Object.fromEntries(achievements.map((one: Json) => [one.key, one.timesCompleted]).sort());
}

async function times(user = 'ann'): Promise<Record<string, number>> {
  const all: Json[] = (await call('GET', `/v1/users/${user}/achievements?includeIncomplete=true`)).body;
  return Object.fromEntries(all.flatMap((one) => (one.repeat ? [[one.key, one.timesCompleted]] : [])).sort());
}

async function shown(key: string): Promise<Json> {
  const all: Json[] = (await call('GET', '/v1/users/ann/achievements?includeIncomplete=true')).body;
  return all.find((one) => one.key === key);
}

const xpTotal = async (): Promise<number> => (await call('GET', '/v1/users/ann/points/xp')).body.total;

const timeline = async (): Promise<unknown[]> => {
  await server.relayed();
  const { items } = (await admin('GET', '/users/ann/timeline?kinds=achievement&limit=100')).body;
  return items.map((one: Json) => [one.achievement.key, one.timesCompleted ?? null]);
};

const configure = (achievements: object[]): Promise<void> => putInForce(admin, { ...CONFIG, achievements });

test('says how often, and keeps the first time', async () => {
  await moveTo(0);
  const { id } = await server.createWebhook('/completed', ['achievement.completed']);
  expect(await send()).toEqual({});
  expect(await send()).toEqual({ day: 1 });
  expect(await send()).toEqual({ chained: undefined, week: 1 });
  expect(await send()).toEqual({});
  const first = await shown('week');
  expect(first).toMatchObject({ repeat: 'week', timesCompleted: 1, progress: { current: 3, target: 3 } });
  await moveTo(8);
  expect(await shown('week')).toMatchObject({ timesCompleted: 1, progress: { current: 0, target: 3 } });
  await send();
  expect(await send()).toEqual({ day: 2 });
  expect(await send()).toEqual({ week: 2 });
  expect(await shown('week')).toMatchObject({ timesCompleted: 2, achievedAt: first.achievedAt });
  expect(await xpTotal()).toBe(21);
  const completed = [
    ['week', 2],
    ['day', 2],
    ['week', 1],
    ['chained', null],
    ['day', 1],
  ];
  expect((await timeline()).sort()).toEqual(completed.sort());
  const sent = await server.settled(id, completed.length);
  expect(sent.length).toBe(completed.length);
  const { completions } = (await call('GET', '/v1/achievements')).body.find(
    (one: Json) => one.key === 'week',
  );
  expect(completions).toBe(1);
});

test('has no progress while it is not active', async () => {
  await moveTo(0);
  for (let n = 0; n < 3; n++) await send();
  expect(await shown('week')).toMatchObject({ progress: { current: 3, target: 3 } });
  await configure([{ ...WEEK, status: 'locked' }, DAY, CHAINED]);
  const locked = await shown('week');
  expect(locked).toMatchObject({ timesCompleted: 1 });
  expect(locked).not.toHaveProperty('progress');
});

test('a late event completes an earlier period once', async () => {
  await moveTo(30);
  for (let n = 0; n < 3; n++) await send();
  expect(await times()).toEqual({ day: 1, week: 1 });
  for (const day of [4, 11, 15, 25]) {
    const timestamp = new Date(dayAt(day)).toISOString();
    await send({ timestamp });
    expect(Object.keys(await send({ timestamp }))).toEqual(['day']);
    expect(await send({ timestamp })).toMatchObject({ week: expect.any(Number) });
    expect(await send({ timestamp })).toEqual({});
  }
  expect(await times()).toEqual({ day: 5, week: 5 });
});

test('an undo takes no period back, but the achievement with all of them', async () => {
  await moveTo(0);
  const undo = async (eventId: string, more: object = {}): Promise<void> => {
    const { status } = await admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'test', ...more });
    expect(status).toBe(200);
  };
  await send();
  const { eventId } = await server.record('ann', 1, 'lessons');
  expect(await times()).toEqual({ day: 1, week: 0 });
  await undo(eventId);
  expect(await send()).toEqual({});
  expect(await times()).toEqual({ day: 1, week: 0 });
  await moveTo(2);
  await send();
  const { eventId: later } = await server.record('ann', 1, 'lessons');
  expect(await times()).toEqual({ day: 2, week: 1 });
  await undo(later, { points: true, achievements: true });
  expect(await times()).toEqual({ day: 2, week: 1 });
});

test('an administrator revokes and grants it', async () => {
  await moveTo(0);
  const correct = async (what: string): Promise<void> => {
    const { status } = await admin('POST', `/users/ann/achievements/day/${what}`, { reason: 'test' });
    expect(status).toBe(200);
  };
  await send();
  await send();
  await moveTo(1);
  await send();
  await send();
  expect(await times()).toMatchObject({ day: 2 });
  await correct('revoke');
  expect(await timeline()).not.toContainEqual(['day', 2]);
  await moveTo(2);
  await send();
  expect(await send()).toEqual({});
  expect(await times()).toMatchObject({ day: 0 });
  await correct('grant');
  expect(await times()).toMatchObject({ day: 1 });
  expect(await send()).toEqual({});
  await moveTo(3);
  await send();
  expect(await send()).toEqual({ day: 2 });
  expect(await timeline()).toContainEqual(['day', 2]);
});

test('what users did before is counted silently', async () => {
  await configure([DAY, WEEK, CHAINED].map((one) => ({ ...one, status: 'inactive' })));
  for (const day of [0, 1, 2, 7, 8, 9, 28]) {
    await moveTo(day);
    await send();
    await send();
  }
  await configure([DAY, WEEK, CHAINED]);
  expect(await times()).toEqual({ day: 7, week: 2 });
  expect(await xpTotal()).toBe(0);
  // The present day is one of those.
  expect(await send()).toEqual({ week: 3 });
  await moveTo(29);
  await send();
  expect(await send()).toEqual({ day: 8 });
});

test('an achievement that users have begins to repeat with what they did before', async () => {
  const once = achievement('day', 2, { aggregate: 'count', per: 'day' });
  await configure([once, { ...WEEK, status: 'inactive' }]);
  for (const day of [0, 1, 2]) {
    await moveTo(day);
    await send();
    await send();
  }
  await configure([DAY]);
  expect(await times()).toMatchObject({ day: 3 });
  expect(await send()).toEqual({});
  await configure([{ ...DAY, metricValue: 3 }]);
  expect(await times()).toMatchObject({ day: 3 });
  await configure([{ ...DAY, metricValue: 1 }]);
  expect(await times()).toMatchObject({ day: 3 });
});

test('must have the period of per', async () => {
  for (const [given, path] of [
    [{ repeat: 'week' }, 'achievements[0].repeat'],
    [{ per: 'day', repeat: 'week' }, 'achievements[0].repeat'],
    [{ per: 'day', repeat: 'year' }, 'achievements[0].repeat'],
  ] as const) {
    const { status, body } = await admin('PUT', '/config', {
      ...CONFIG,
      achievements: [achievement('day', 2, given)],
      points: [],
    });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(path)]);
  }
});
