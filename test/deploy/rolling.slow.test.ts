import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findOnPath } from '../../src/embedded/commands.ts';
import { readHistory, readState, uncounted } from '../support/chaos/books.ts';
import { Load } from '../support/chaos/load.ts';
import { Random, readSeed } from '../support/random.ts';
import type { RedisNode } from '../support/redisNode.ts';
import { type Builds, makeBuilds } from '../support/rolling/builds.ts';
import { Fleet, type Role } from '../support/rolling/fleet.ts';
import { Traffic } from '../support/rolling/traffic.ts';
import { callApi } from '../support/server.ts';
import { until } from '../support/until.ts';

/**
 * Two servers behind HAProxy and two workers, replaced one after the other while clients send events and read
 * history.
 */
const SEED = readSeed('rolling', 20_261_122);
const CLIENTS = 10;
/** Of the test that kills processes. */
const USERS = 20;
const MS_MAX = 240_000;

const isSkipped = findOnPath('haproxy') === null;
if (isSkipped)
  console.log('haproxy is not installed: rolling restarts are not tested (apt-get install haproxy)');

let fleet: Fleet;
let clients: { stop(): Promise<void> };
afterEach(async () => {
  await clients?.stop();
  await fleet?.stop();
}, MS_MAX);

/** Starts servers and workers of a version, and clients. */
async function start(root: string): Promise<Traffic> {
  fleet = await Fleet.start({ root });
  const traffic = new Traffic(fleet.balancer.url, new Random(SEED));
  clients = traffic;
  traffic.start(CLIENTS);
  return traffic;
}

/** Ends the load. Every request was answered rightly, and Redis and PostgreSQL contain what was answered. */
async function expectAllRight(traffic: Traffic): Promise<void> {
  await traffic.stop();
  const { users, counts, slowestMs, failed, failures } = traffic;
  console.log(`rolling: ${JSON.stringify(counts)}, slowest answer ${slowestMs} ms, ${failed} failed`);
  expect(failures).toEqual([]);
  expect(failed).toBe(0);
  for (const kind of Object.values(counts)) expect(kind).toBeGreaterThan(100);
  for (const { id, sum } of users) {
    const { body } = await callApi(`${fleet.balancer.url}/v1/users/${id}/metrics/lessons`, 'GET');
    expect([id, body.current]).toEqual([id, sum]);
  }
  const history =
    'select user_id as id, count(*)::int as events, sum(value)::float8 as sum from event_history group by 1 order by 1';
  // The relay writes behind the events, and few reads wait for it.
  await expect.poll(() => fleet.query(history)).toEqual([...users].sort((a, b) => (a.id < b.id ? -1 : 1)));
  expect(await fleet.query('select from dead_entries')).toEqual([]);
}

/** Bytes that Redis has received and not read yet. */
function bytesBefore(redis: RedisNode): number {
  const sockets = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  const port = redis.port.toString(16).toUpperCase().padStart(4, '0');
  const unread = sockets.map((line) => /^ *\d+: \w+:(\w+) \S+ \w+ \w+:(\w+) /.exec(line));
  return unread.reduce((sum, found) => sum + (found?.[1] === port ? Number.parseInt(found[2]!, 16) : 0), 0);
}

test.skipIf(isSkipped)(
  'HAProxy sends an event of a killed server to no other server',
  { timeout: MS_MAX },
  async () => {
    fleet = await Fleet.start({ workers: 0 });
    const { url } = fleet.balancer;
    const send = (id: string): Promise<number | null> =>
      callApi(`${url}/v1/metrics/lessons/event`, 'POST', { user: { id }, value: 1 }).then(
        ({ status }) => status,
        () => null,
      );
    await until(async () => (await Promise.all(['a', 'b'].map(send))).every((status) => status === 201));
    const ids = Array.from({ length: 12 }, (_, i) => `${'x'.repeat(200)}-${i}`);
    fleet.redis.pause();
    const sent = ids.map(send);
    await until(() => bytesBefore(fleet.redis) > 200 * ids.length);
    await fleet.kill('server', 1);
    fleet.redis.resume();
    const statuses = await Promise.all(sent);
    const read = (id: string) =>
      until(async () => {
        const { status, body } = await callApi(`${url}/v1/users/${id}/metrics/lessons`, 'GET');
        return [200, 404].includes(status) && String(body.current ?? 0);
      });
    const totals = (await Promise.all(ids.map(read))).map(Number);
    expect(totals.filter((total) => total > 1)).toEqual([]);
    // Otherwise there was nothing to send to another server.
    expect(statuses.filter((status, i) => status !== 201 && totals[i] === 1)).not.toEqual([]);
  },
);

describe.skipIf(isSkipped)(
  'a build with a newer format of events and a newer migration replaces one without them',
  () => {
    let directory: string;
    let builds: Builds;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'laurel-test-builds-'));
      builds = await makeBuilds(directory);
    });
    afterAll(() => rm(directory, { recursive: true }));

    const expectMigrated = async (): Promise<void> =>
      expect(await fleet.query(`select from migrations where name = '${builds.migration}'`)).toHaveLength(1);

    const orders: [Role, Role][] = [
      ['server', 'worker'],
      ['worker', 'server'],
    ];
    test.each(orders)(
      'each %s first, then each %s, and no request fails',
      { timeout: MS_MAX },
      async (first, second) => {
        const traffic = await start(builds.older);
        await fleet.replace(first, { root: builds.newer });
        await fleet.replace(second, { root: builds.newer });
        await expectAllRight(traffic);
        await expectMigrated();
      },
    );

    test('each process by kill -9, Redis too, and each event counts once', { timeout: MS_MAX }, async () => {
      fleet = await Fleet.start({ root: builds.older });
      const load = new Load(new Random(SEED), [fleet.balancer.url], USERS);
      clients = load;
      load.start(CLIENTS);
      await fleet.replace('server', { root: builds.newer, kill: true });
      await fleet.redis.kill();
      await fleet.redis.restart();
      await fleet.loseConnections();
      await fleet.replace('worker', { root: builds.newer, kill: true });
      await load.stop();
      console.log(`kills during an upgrade: ${JSON.stringify(load.counts)}`);
      expect(load.wrong).toEqual([]);
      const isCounted = async () =>
        uncounted(await readHistory(fleet.databaseUrl, load.userIds), load).length === 0;
      await until(isCounted);
      const history = await readHistory(fleet.databaseUrl, load.userIds);
      expect(history.accounts).toEqual(await readState(fleet.balancer.url, load.userIds));
      expect(history.deadEntries).toBe(0);
      await expectMigrated();
    });
  },
);
