import { expect, test } from 'vitest';
import { achievement, lessonStreak } from '../support/items.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/** Counting days, different and greatest values, and within periods. */

const CONFIG = {
  attributes: { event: [{ key: 'language', name: 'Language' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  streak: lessonStreak(),
  settings: { lateEvents: { maxAgeSeconds: 30 * 86_400 } },
  achievements: [
    achievement('three-days', 3, { aggregate: 'days', per: 'week' }),
    achievement('five-lessons', 5, { aggregate: 'count', per: 'day' }),
    achievement('twenty-days', 20, { aggregate: 'days' }),
    achievement('languages', 3, { aggregate: { distinct: 'language' } }),
    achievement('big', 40, { aggregate: { max: 'value' } }),
    achievement('month', 60, { per: 'month' }),
  ],
};
const server = useServer({ config: CONFIG, relay: true, tenantEach: true });
const { call } = server;

/** Keys of what the event completes. */
async function send(value: number, more: object = {}): Promise<string[]> {
  const { achievements } = await server.record('ann', value, 'lessons', more);
  return achievements.map(({ key }: Json) => key).sort();
}

async function progress(): Promise<Record<string, number | 'completed'>> {
  const all: Json[] = (await call('GET', '/v1/users/ann/achievements?includeIncomplete=true')).body;
  return Object.fromEntries(all.map((one) => [one.key, one.progress?.current ?? 'completed']));
}

const EMPTY = { 'five-lessons': 0, 'three-days': 0, big: 0, languages: 0, month: 0, 'twenty-days': 0 };

test('a counter within a period begins anew with the next one', async () => {
  await server.moveTo('2026-12-14T12:00:00Z');
  expect(await send(1, { attributes: { language: 'de' } })).toEqual([]);
  expect(await send(1, { attributes: { language: 'de' } })).toEqual([]);
  await server.moveTo('2026-12-15T12:00:00Z');
  await send(10, { attributes: { language: 'fr' } });
  const now = {
    ...EMPTY,
    'five-lessons': 1,
    'three-days': 2,
    big: 10,
    languages: 2,
    month: 12,
    'twenty-days': 2,
  };
  expect(await progress()).toEqual(now);
  await server.moveTo('2026-12-21T00:00:01Z');
  expect(await progress()).toEqual({ ...now, 'five-lessons': 0, 'three-days': 0 });
  await server.moveTo('2027-01-01T00:00:01Z');
  expect(await progress()).toEqual({ ...now, 'five-lessons': 0, 'three-days': 0, month: 0 });
  expect(await send(40)).toEqual(['big']);
});

test('a late event counts in its own period, as long ago as it may be', async () => {
  await server.moveTo('2027-02-01T12:00:00Z');
  await send(1);
  await server.moveTo('2027-02-03T12:00:00Z');
  await send(1);
  for (let week = 0; week < 4; week++) {
    await server.moveTo(server.clock.now() + 7 * 86_400_000);
    await send(1);
  }
  expect(await progress()).toEqual({
    ...EMPTY,
    'five-lessons': 1,
    'three-days': 1,
    big: 1,
    month: 1,
    'twenty-days': 6,
  });
  // A day of that week has one already.
  expect(await send(1, { timestamp: '2027-02-03T13:00:00.000Z' })).toEqual([]);
  expect(await send(1, { timestamp: '2027-02-05T13:00:00.000Z' })).toEqual(['three-days']);
  expect(await progress()).toMatchObject({ 'twenty-days': 7, month: 1 });
  expect(await send(58, { timestamp: '2027-02-06T13:00:00.000Z' })).toEqual(['big', 'month']);
});

test('an undo takes a day away only with its last event', async () => {
  await server.moveTo('2027-04-05T12:00:00Z');
  const { eventId: first } = await server.record('ann', 1, 'lessons');
  const { eventId: second } = await server.record('ann', 50, 'lessons');
  const undo = async (eventId: string): Promise<void> => {
    const { status } = await server.admin('POST', `/users/ann/events/${eventId}/undo`, { reason: 'test' });
    expect(status).toBe(200);
  };
  await undo(first);
  expect(await progress()).toMatchObject({ 'five-lessons': 1, 'three-days': 1, 'twenty-days': 1, month: 50 });
  await undo(second);
  expect(await progress()).toMatchObject({ 'five-lessons': 0, 'three-days': 0, 'twenty-days': 0, month: 0 });
});

test('a traveller has each local day once', async () => {
  await server.moveTo('2027-05-18T11:00:00Z');
  const at = (tz: string): Promise<string[]> => send(1, { user: { id: 'ann', tz } });
  await at('Pacific/Kiritimati');
  await at('Pacific/Pago_Pago');
  await at('Pacific/Kiritimati');
  await at('Pacific/Pago_Pago');
  expect(await progress()).toMatchObject({ 'five-lessons': 2, 'twenty-days': 2, 'three-days': 2 });
});

test('what counts within a period is the total after the event, also after a fall', async () => {
  const attributes = { ...CONFIG.attributes, user: [{ key: 'plan', name: 'Plan' }] };
  const achievements = [achievement('paying', 3, { per: 'day', userAttributes: { plan: 'pro' } })];
  const { status } = await call('PUT', '/admin/v1/config', { ...CONFIG, attributes, achievements });
  expect(status).toBe(200);
  expect(await send(3)).toEqual([]);
  await call('PUT', '/v1/users/ann', { attributes: { plan: 'pro' } });
  expect(await send(-1)).toEqual([]);
  expect(await send(1)).toEqual(['paying']);
});
