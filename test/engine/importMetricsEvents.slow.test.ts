import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Importing, useImports } from '../support/importing.ts';
import { ATTRIBUTES, CONFIG, withoutIds } from '../support/metricsEvents.ts';
import { dayFromStart } from '../support/testTime.ts';
import { useServer } from '../support/useServer.ts';

/** Events of the past that count for several metrics. */

const server = useServer({ config: CONFIG, relay: true });
let imports: Importing;

beforeAll(async () => {
  imports = await useImports(server);
});
afterAll(() => imports?.close());

const line = (id: string, daysAgo: number, more: object): object => ({
  timestamp: `${dayFromStart(-daysAgo)}T18:00:00+01:00`,
  user: { id, tz: 'Europe/Berlin' },
  attributes: ATTRIBUTES,
  ...more,
});
const DAYS = [9, 8, 7, 3, 2, 1];

const readUser = async (id: string): Promise<unknown> => {
  await server.relayed();
  return withoutIds(
    await Promise.all([
      server.get(`/v1/users/${id}/summary`),
      server.get(`/v1/users/${id}/points/xp?awards=50`),
      server.get(
        `/v1/users/${id}/metrics/km/event-summary?aggregation=daily&startDate=2026-11-01&endDate=2026-11-18`,
      ),
    ]),
  );
};

test('equal an event for each metric', async () => {
  const together = DAYS.map((day) => line('ann', day, { metrics: { runs: 1, minutes: 40, km: 6 } }));
  const apart = DAYS.flatMap((day) => [
    line('ben', day, { metric: 'km', value: 6 }),
    line('ben', day, { metric: 'minutes', value: 40 }),
    line('ben', day, { metric: 'runs', value: 1 }),
  ]);
  const { rows } = await imports.import('events', [...together, ...apart]);
  expect(rows).toEqual({ received: 24, applied: 24, refused: 0 });
  expect(await readUser('ann')).toEqual(await readUser('ben'));
});

test('are refused as a whole, and the others count', async () => {
  const key = { idempotencyKey: 'a' };
  const { id, rows } = await imports.import('events', [
    line('cleo', 9, { metrics: { km: 6, minutes: 999 } }),
    line('cleo', 8, { metrics: { km: 1, swims: 1 } }),
    line('cleo', 7, { metrics: { km: 6, minutes: 40 }, ...key }),
    line('cleo', 6, { metrics: { km: 6, minutes: 40 }, ...key }),
    line('cleo', 5, { metrics: { km: 6, runs: 1 }, ...key }),
    line('cleo', 4, { metrics: { km: 6, nothing: 1 } }),
    line('cleo', 3, { metrics: { km: 'six' } }),
    line('cleo', 2, { metric: 'km' }),
  ]);
  expect(rows).toEqual({ received: 8, applied: 2, refused: 6 });
  expect((await imports.refused(id)).map(({ line: no, reason }) => [no, reason])).toEqual([
    [1, expect.stringContaining('maxValue')],
    [2, expect.stringContaining('energy')],
    [5, expect.stringContaining('idempotency key')],
    [6, expect.stringContaining('nothing')],
    [7, 'metrics.km must be a number'],
    [8, 'value is required'],
  ]);
  const totals = await server.get('/v1/users/cleo/metrics/km');
  expect(totals.current).toBe(6);
});

test('go on where a call ended', async () => {
  // More events than a call applies.
  const lines = Array.from({ length: 150 }, (_, i) =>
    line('dora', 20 - (i % 19), { metrics: { km: 1, minutes: 1, runs: 1 } }),
  );
  const { rows } = await imports.import('events', lines);
  expect(rows).toEqual({ received: 150, applied: 150, refused: 0 });
  const totals = ['km', 'minutes', 'runs'].map((key) => server.get(`/v1/users/dora/metrics/${key}`));
  expect((await Promise.all(totals)).map(({ current }) => current)).toEqual([150, 150, 150]);
  await server.relayed();
  await server.expectSameStores();
});
