import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createPool } from '../../src/db/pool.ts';
import { PostgresNode } from '../support/postgresNode.ts';
import { callApi, startTestServer, type TestServer } from '../support/server.ts';
import { START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';

/** A primary with a standby that is promoted. Commits wait for the standby, so nothing may be lost. */
const STANDBY = 'second';
const silent = createLog('test', 'silent');

let primary: PostgresNode;
let standby: PostgresNode;
let url: string;
let server: TestServer;

beforeAll(async () => {
  primary = await PostgresNode.start();
  await primary.query('create database laurel');
  standby = await PostgresNode.startStandby(primary, STANDBY);
  await primary.query(`alter system set synchronous_standby_names = '${STANDBY}'`);
  await primary.query('select pg_reload_conf()');
  // The standby comes first in the list.
  url = primary.url('laurel').replace('@', `@${standby.address},`);
  const pool = createPool(url, silent);
  await migrate(pool, START_MS, silent);
  await pool.end();
  server = await startTestServer({ database: { url, drop: async () => {} } });
  await server.startRelay();
});
afterAll(async () => {
  await server?.stop();
  await Promise.all([primary?.remove(), standby?.remove()]);
});

let sent = 0;
const record = async (): Promise<number> => {
  const key = `event-${sent++}`;
  const user = { id: `user-${sent % 50}` };
  const headers = { 'Idempotency-Key': key };
  return (await server.call('POST', '/v1/metrics/words/event', { user, value: 1 }, headers)).status;
};
const recordMany = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at += 50) {
    const statuses = await Promise.all(Array.from({ length: 50 }, record));
    expect(statuses.filter((status) => status !== 201)).toEqual([]);
  }
};
const relayed = (node: PostgresNode) => async (): Promise<boolean> => {
  const { rows } = await node.query(
    'select count(*)::int as events, sum(value)::int as sum from event_history',
    'laurel',
  );
  return rows[0].events === sent && rows[0].sum === sent;
};
const outbox = async (): Promise<number> => {
  const { body } = await callApi(`${server.url}/metrics`, 'GET');
  return Number(/^laurel_outbox_entries (\S+)$/m.exec(body)![1]);
};

describe('with several hosts', () => {
  test('the one that takes writes is used, wherever it stands in the list', async () => {
    await recordMany(200);
    await until(relayed(primary));
    expect((await server.call('GET', '/admin/v1/audit')).status).toBe(200);
  });

  test('a primary that has become read-only counts as away, and is used again afterwards', async () => {
    await primary.query('alter system set default_transaction_read_only = on');
    await primary.query('select pg_reload_conf()');
    await until(
      async () => (await server.call('POST', '/admin/v1/metrics', [{ key: 'a', name: 'A' }])).status === 503,
    );
    await recordMany(100);
    await until(async () => (await outbox()) > 0);
    await primary.query('alter system reset default_transaction_read_only');
    await primary.query('select pg_reload_conf()');
    await until(relayed(primary));
  });

  test('events go on while the primary is dead, and a promoted standby gets all of them', async () => {
    const load = recordMany(500);
    await primary.kill();
    await load;
    await recordMany(200);
    expect((await server.call('GET', '/admin/v1/audit')).status).toBe(503);
    await standby.query('select pg_promote()');
    await until(relayed(standby));
    await until(async () => (await server.call('GET', '/admin/v1/audit')).status === 200);
    await until(async () => (await outbox()) === 0);
  });
});
