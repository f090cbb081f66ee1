import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { findOnPath } from '../src/embedded/commands.ts';
import { Random, readSeed } from './support/random.ts';
import { Fleet, type Role } from './support/rolling/fleet.ts';
import { Traffic } from './support/rolling/traffic.ts';
import { callApi } from './support/server.ts';

/** Three servers behind HAProxy and three workers, replaced one after the other while clients send events and read history. */
const SEED = readSeed('rolling', 20_261_122);
const CLIENTS = 16;
const MS_MAX = 240_000;

/** Directory of an earlier version, with dependencies and build (npm run test:upgrade). */
const EARLIER = process.env.LAUREL_UPGRADE_FROM;

const isSkipped = findOnPath('haproxy') === null;
if (isSkipped) console.log('haproxy is not installed: rolling restarts are not tested (apt-get install haproxy)');

let fleet: Fleet;
let traffic: Traffic;
/** Starts three servers and three workers of a version, and the clients. */
async function start(root?: string): Promise<void> {
  fleet = await Fleet.start(root);
  traffic = new Traffic(fleet.balancer.url, new Random(SEED));
  traffic.start(CLIENTS);
}
afterEach(async () => {
  await traffic?.stop();
  await fleet?.stop();
}, MS_MAX);

/** Ends the load. Every request was answered rightly, and Redis and PostgreSQL contain what was answered. */
async function expectAllRight(): Promise<void> {
  await traffic.stop();
  const { counts, slowestMs, failed, failures } = traffic;
  console.log(`rolling: ${JSON.stringify(counts)}, slowest answer ${slowestMs} ms, ${failed} failed`);
  expect(failures).toEqual([]);
  expect(failed).toBe(0);
  for (const kind of Object.values(counts)) expect(kind).toBeGreaterThan(100);
  for (const { id, sum } of traffic.users) {
    const { body } = await callApi(`${fleet.balancer.url}/v1/users/${id}/metrics/lessons`, 'GET');
    expect([id, body.current]).toEqual([id, sum]);
  }
  const client = new pg.Client({ connectionString: fleet.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      'select user_id as id, count(*)::int as events, sum(value)::float8 as sum from event_history group by 1 order by 1',
    );
    const byId = [...traffic.users].sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(rows).toEqual(byId);
    expect((await client.query('select from dead_entries')).rowCount).toBe(0);
  } finally {
    await client.end();
  }
}

describe.skipIf(isSkipped)('under load, without a failed request', () => {
  test('all servers and workers are restarted', { timeout: MS_MAX }, async () => {
    await start();
    await fleet.replace('server');
    await fleet.replace('worker');
    await expectAllRight();
  });

  describe.skipIf(EARLIER === undefined)('an earlier version is replaced', () => {
    const orders: [Role, Role][] = [
      ['server', 'worker'],
      ['worker', 'server'],
    ];
    test.each(orders)('each %s first, then each %s', { timeout: MS_MAX }, async (first, second) => {
      await start(EARLIER);
      await fleet.replace(first);
      await fleet.replace(second);
      await expectAllRight();
    });
  });
});
