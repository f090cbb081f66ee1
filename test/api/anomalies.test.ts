import { beforeAll, expect, test } from 'vitest';
import { findAnomalies } from '../../src/db/analytics/anomalyRows.ts';
import { items } from '../support/items.ts';
import { useServer } from '../support/useServer.ts';

/** Conspicuous days: what is listed, and when. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The day that is examined, in UTC. */
const DAY = Date.parse('2026-11-19T00:00:00Z');

const server = useServer({ relay: true });
/** Numbers of anomalies found: before the day has ended in the last time zone, after it, and later. */
let found: number[];

interface Sent {
  user: string;
  value: number;
  key?: string;
}

async function send(hours: number, events: Sent[]): Promise<void> {
  await server.call('POST', '/admin/v1/test-clock', {
    now: new Date(DAY + hours * HOUR_MS).toISOString(),
    awaitHistory: false,
  });
  const items = events.map(({ user, value, key = 'lessons' }) => ({ key, user: { id: user }, value }));
  expect((await server.call('POST', '/admin/v1/metrics/events', items)).body.refused).toEqual([]);
}
const list = async (query: string) =>
  (await server.call('GET', `/admin/v1/analytics/anomalies?limit=100&to=2026-11-30${query}`)).body.anomalies;

beforeAll(async () => {
  await server.call('PUT', '/admin/v1/config', {
    metrics: items('lessons', 'minutes'),
  });
  const others = Array.from({ length: 20 }, (_, i) => ({ user: `user-${i}`, value: 10 }));
  const minutes = others.map((event) => ({ ...event, key: 'minutes' }));
  const eve = { user: 'eve', key: 'minutes' };
  await send(-11, [...others, { user: 'ada', value: 10 }, { user: 'bo', value: 100 }, { ...eve, value: 3 }]);
  const second = [
    { user: 'ada', value: 40 },
    { user: 'bo', value: 200 },
    { user: 'new', value: 900 },
  ];
  await send(1, [...others, ...minutes, ...second, { ...eve, value: 16 }]);
  await send(2, [{ user: 'ada', value: 1_000 }]);
  await server.relayed();
  await findAnomalies(server.pool, DAY - 2 * DAY_MS);
  found = [];
  for (const hours of [35.999, 36, 40]) found.push(await findAnomalies(server.pool, DAY + hours * HOUR_MS));
});

test('a day is examined once it has ended in every time zone, and only once', () => {
  expect(found).toEqual([0, 2, 0]);
});

test('who did far more than others and than usual is listed, not who always does or who is new', async () => {
  const [first, ...others] = await list('&metric=lessons');
  expect(first).toMatchObject({
    date: '2026-11-19',
    metric: 'lessons',
    userId: 'ada',
    value: 1_040,
    median: 10,
  });
  expect(first.bound).toBeGreaterThan(900);
  expect(others).toEqual([]);
});

test('days outside the range are left out', async () => {
  expect(await list('&from=2026-11-20')).toEqual([]);
});

test('an unknown metric is named', async () => {
  const { status, body } = await server.call('GET', '/admin/v1/analytics/anomalies?metric=lesson');
  expect(status).toBe(404);
  expect(body.error).toContain('lessons');
});

test('the erasure of a user removes the days of the user', async () => {
  const daysOfEve = async () =>
    (await server.pool.query("select from anomalies where user_id = 'eve'")).rowCount;
  expect(await daysOfEve()).toBe(1);
  await server.call('DELETE', '/admin/v1/users/eve');
  await expect.poll(daysOfEve).toBe(0);
});
