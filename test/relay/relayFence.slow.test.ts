import type { PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cellsOf } from '../../src/base/cells.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import {
  carryOutErasure,
  type ErasureDependencies,
  requestErasure,
} from '../../src/engine/erasure/eraseUser.ts';
import { pack } from '../../src/redis/decoding/codec.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import type { Relay } from '../../workers/relay/relay.ts';
import { NOON, silent, useRelaying } from '../support/relaying.ts';
import { until } from '../support/until.ts';

/** A relay that hangs with a batch in hand, while another one takes over and users are erased. */
const relaying = useRelaying();
const { record, drain, createRelay, isDrained } = relaying;

const CONNECTIONS = 10;
let pool: Pool;
let taken: PoolClient[] = [];
let slow: Relay;

/** From now on the slow relay reads, and waits for PostgreSQL before it writes. */
async function hang(): Promise<void> {
  taken = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
}

function wake(): void {
  for (const client of taken.splice(0)) client.release();
}

async function erase(userId: string): Promise<void> {
  const { redis, rulesStore, cells, tenant } = relaying.engine;
  const parts: ErasureDependencies = {
    pool: relaying.pool,
    redis,
    cells,
    rulesStore,
    scripts: new Scripts(redis, cells),
  };
  const user = { tenant, userId };
  // Without the rules of the account, Redis would wait to be restored.
  for (const cell of cellsOf(DEFAULT_TENANT, cells))
    await redis.hset(keys.rules(DEFAULT_TENANT, cell), 'version', 0);
  expect(await requestErasure(parts, user, { actor: 'test', now: NOON })).toBe(true);
  expect(await carryOutErasure(parts, user, 10_000)).toBe(true);
}

async function rowsAbout(userId: string): Promise<string[]> {
  const tables = ['users', 'event_history', 'award_history', 'streak_extensions', 'leaderboard_changes'];
  const found: string[] = [];
  for (const table of [...tables, 'points_totals', 'user_snapshots', 'relayed_states', 'dead_entries']) {
    const text = `select from ${table} as row where position($1 in row::text) > 0 or position($2 in row::text) > 0`;
    const { rowCount } = await relaying.pool.query(text, [userId, Buffer.from(userId).toString('hex')]);
    if (rowCount! > 0) found.push(table);
  }
  return found;
}

beforeEach(async () => {
  pool = createPool(relaying.database.url, silent);
  slow = createRelay({ pool });
  slow.start();
  await record('somebody');
  await until(isDrained);
});
afterEach(async () => {
  wake();
  await slow.stop();
  await pool.end();
});

describe('a relay that hung', () => {
  test('does not bring back an erased user', async () => {
    await hang();
    await record('erasmus', 3);
    const { redis, tenant } = relaying.engine;
    await redis.xadd('{0}:out', '*', 'tenant', tenant, 'some', pack('erasmus'));
    await until(() => slow.isHolding);
    await drain(createRelay({ takeOverIdleMs: 1 }));
    expect(await isDrained()).toBe(true);
    expect(await rowsAbout('erasmus')).toContain('dead_entries');
    await erase('erasmus');
    expect(await rowsAbout('erasmus')).toEqual([]);

    wake();
    await record('afterwards');
    await until(isDrained);
    await until(() => !slow.isHolding);
    expect(await rowsAbout('erasmus')).toEqual([]);
    expect(await rowsAbout('afterwards')).toContain('event_history');
  });

  test('writes the entries that are still its own', async () => {
    await hang();
    for (let i = 0; i < 20; i++) await record(`user-${i}`);
    await until(() => slow.isHolding);
    const other = createRelay({ takeOverIdleMs: 1 });
    // Some of them are written by the other one; which, is a matter of chance.
    await other.runOnce();
    await record('last');
    wake();
    await until(isDrained);
    const { rows } = await relaying.pool.query(
      'select count(*)::int as n from event_history where tenant = $1',
      [relaying.engine.tenant],
    );
    expect(rows[0].n).toBe(22);
  });
});

test('entries that another relay took over leave the outbox once that relay has written them', async () => {
  await slow.stop();
  const { redis, cells } = relaying.engine;
  const scripts = new Scripts(redis, cells);
  await redis.xadd('{0}:out', '*', 'some', 'thing');
  const read = (consumer: string, id: string) =>
    redis.xreadgroup('GROUP', 'relay', consumer, 'STREAMS', '{0}:out', id);
  const reply = (await read('one', '>')) as unknown as [[string, [[string]]]];
  const id = reply[0][1][0][0];
  await redis.xautoclaim('{0}:out', 'relay', 'other', 0, '0');
  await scripts.acknowledge(0, 'relay', 'one', [id]);
  expect(await isDrained()).toBe(false);
  await scripts.acknowledge(0, 'relay', 'other', [id]);
  expect(await isDrained()).toBe(true);
  expect(await redis.xpending('{0}:out', 'relay')).toEqual([0, null, null, null]);
});
