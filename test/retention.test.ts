import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { dropOldEvents } from '../src/db/dropOldEvents.ts';
import { setOnce } from '../src/db/installation.ts';
import { readDays } from '../src/db/users/readUserHistory.ts';
import { restore } from '../src/restore/restore.ts';
import { emptyRedis } from './support/redisData.ts';
import { useRelaying } from './support/relaying.ts';

const relaying = useRelaying();
const { drain, record, rowsOf, no } = relaying;

const MONTHS = ['2026-08', '2026-09', '2026-10', '2026-11'];
const NOW = Date.parse('2026-11-20T12:00:00Z');
const drop = (): Promise<string[]> => dropOldEvents(relaying.pool, { keepMonths: 1, now: NOW });

const setTime = (instant: string): void => relaying.engine.clock.set(instant);

/** Some months of two users, with idempotency keys; the last hours of a month are the next one's first day in Tokyo. */
async function live(): Promise<void> {
  await relaying.engine.users.identify(relaying.engine.rules(), 'bo', { tz: 'Asia/Tokyo' });
  for (const month of MONTHS) {
    for (const at of ['-01T00:00:00Z', '-15T10:00:00Z', '-15T11:00:00Z', '-30T20:00:00Z']) {
      setTime(month + at);
      await record('ann', 1.5, `key-${month}${at}`);
      await record('bo', 2);
    }
  }
  await drain();
}

async function totals(): Promise<Record<string, unknown>[]> {
  return rowsOf('metric_totals_daily', 'user_id, metric_no, local_date');
}

function summary(userId: string): Promise<unknown[]> {
  const days = (date: string): number => Date.parse(date) / 86_400_000;
  const { pool, engine } = relaying;
  return readDays(
    async (statement, values) => (await pool.query({ ...statement, values })).rows,
    { tenant: engine.tenant, userId },
    'metric',
    [no('metrics', 'lessons')],
    { from: days('2026-09-10'), to: days('2026-11-20') },
  );
}

describe('raw events beyond their retention', () => {
  test('are dropped by whole months; totals and summaries stay', async () => {
    await live();
    const before = { totals: await totals(), ann: await summary('ann'), bo: await summary('bo') };
    expect(before.totals.length).toBeGreaterThan(20);
    expect(await drop()).toEqual(['2026-08', '2026-09']);
    const left = await rowsOf('event_history', 'recorded_at');
    expect(left[0]!.recorded_at).toEqual(new Date('2026-10-01T00:00:00Z'));
    expect(left).toHaveLength(16);
    expect({ totals: await totals(), ann: await summary('ann'), bo: await summary('bo') }).toEqual(before);
    expect(await drop()).toEqual([]);
  });

  test('their idempotency keys survive a restore', async () => {
    await live();
    await drop();
    const { pool, engine } = relaying;
    await setOnce(pool, 'cells', String(engine.cells));
    await emptyRedis(engine.redis);
    const progress = { begin: () => {}, advance: () => {}, end: () => {} };
    const restored = await restore({ pool, redis: engine.redis, progress, now: NOW, replace: false, testClock: false });
    expect(restored).toEqual({ users: 2, fingerprints: 16 });

    setTime('2026-12-01T00:00:00Z');
    const request = { user: { id: 'ann' }, value: 1.5 };
    for (const month of MONTHS) {
      const replay = await engine.record('lessons', request, `key-${month}-15T10:00:00Z`);
      expect(replay).toMatchObject({ status: 'replayed', total: 24 });
    }
    expect(await engine.record('lessons', request, 'new')).toMatchObject({ status: 'recorded', total: 25.5 });
  });

  test('that arrive late are added to the totals of their day', async () => {
    await live();
    await drop();
    setTime('2026-08-15T12:00:00Z');
    await record('ann', 4);
    await drain();
    const before = await totals();
    expect(
      before.find(({ user_id, local_date }) => user_id === 'ann' && String(local_date).includes('Aug 15')),
    ).toMatchObject({
      events: '3',
      change: 7,
      total: 28,
    });
    expect(await drop()).toContain('2026-08');
    expect(await totals()).toEqual(before);
  });

  test('stay while a long read runs, and are dropped the next time', async () => {
    await live();
    const before = await totals();
    const reader = new Client({ connectionString: relaying.database.url });
    await reader.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from event_history');
      await expect(drop()).rejects.toThrow('lock timeout');
      expect(await totals()).toEqual(before);
      expect(await rowsOf('event_history')).toHaveLength(32);
    } finally {
      await reader.end();
    }
    expect(await drop()).toEqual(['2026-08', '2026-09']);
    expect(await totals()).toEqual(before);
  });
});

test('reads of one user and metric use the keys of both tables', async () => {
  await live();
  await drop();
  await relaying.pool.query('analyze metric_days');
  const client = await relaying.pool.connect();
  try {
    await client.query('set enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain select * from metric_totals_daily where tenant = 1 and user_id = 'ann' and metric_no = any('{1,2}') and local_date <= '2026-11-01'`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on metric/);
    expect(plan).toMatch(/metric_days_pkey[\s\S]*Index Cond: .*user_id = 'ann'/);
    expect(plan).toMatch(/recorded_events_2026_10_pkey[\s\S]*Index Cond: .*user_no =/);
  } finally {
    client.release(true);
  }
});
