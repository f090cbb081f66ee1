import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { dropOldDays, dropOldEvents } from '../../src/db/history/dropHistory.ts';
import { fixCells, replaceFact } from '../../src/db/installation.ts';
import { readRunGroup } from '../../src/db/leaderboards/readRuns.ts';
import { readDays } from '../../src/db/users/readUserHistory.ts';
import { emptyRedis } from '../support/redisData.ts';
import { useRelaying } from '../support/relaying.ts';

const relaying = useRelaying();
const { drain, record, rowsOf, no } = relaying;

const MONTHS = ['2026-08', '2026-09', '2026-10', '2026-11'];
const NOW = Date.parse('2026-11-20T12:00:00Z');
const drop = (): Promise<string[]> => dropOldEvents(relaying.pool, { keepMonths: 1, now: NOW });

// Retention concerns all tenants, so a test must not find rows of the tenants of others.
afterEach(async () => {
  await relaying.pool.query(`delete from installation where name like 'dropped-%'`);
  await relaying.pool.query(
    'truncate streak_extensions, leaderboard_changes, leaderboard_runs, leaderboard_places',
  );
});

const setTime = (instant: string): void => relaying.engine.clock.set(instant);

/**
 * Some months of two users, with idempotency keys; the last hours of a month are the next one's first day in
 * Tokyo.
 */
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
  return readDays(pool, { tenant: engine.tenant, userId }, 'metric', [no('metrics', 'lessons')], {
    from: days('2026-09-10'),
    to: days('2026-11-20'),
  });
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
    await fixCells(pool, { cells: engine.cells.count, spread: engine.cells.spread });
    await emptyRedis(engine.redis);
    const restored = await restore({
      pool,
      redis: engine.redis,
      progress: noProgress,
      now: NOW,
      replace: false,
      testClock: false,
    });
    expect(restored).toEqual({ users: 2 });

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

describe('days beyond their retention', () => {
  const options = { keepMonths: 1, now: NOW };
  const days = async (table: string): Promise<string[]> =>
    (
      await rowsOf(
        `(select tenant, user_id, to_char(local_date, 'YYYY-MM-DD') as day from ${table}) as t`,
        '3, 2',
      )
    ).map(({ user_id, day }) => `${user_id} ${day}`);

  test('of streaks are dropped; the lengths of streaks stay', async () => {
    await live();
    const [before, standings] = [
      await days('streak_extensions'),
      await rowsOf('streak_standings', 'user_id'),
    ];
    const kept = before.filter((row) => row.slice(-10) >= '2026-10-01');
    expect(kept.length).toBeLessThan(before.length);
    expect(await dropOldDays(relaying.pool, 'streaks', options)).toBe(before.length - kept.length);
    expect(await days('streak_extensions')).toEqual(kept);
    expect(await rowsOf('streak_standings', 'user_id')).toEqual(standings);
    // Nothing is left to do until the next month.
    expect(await dropOldDays(relaying.pool, 'streaks', options)).toBe(0);
  });

  test('on leaderboards are dropped; a user keeps the last one in each ranking that is not final', async () => {
    await live();
    for (const day of ['2026-12-01', '2026-12-02']) {
      setTime(`${day}T10:00:00Z`);
      await record('ann', 1);
    }
    await drain();
    const rankings = await rowsOf('leaderboard_rankings', 'leaderboard, run_start, rank');
    const before = await rowsOf('leaderboard_changes', 'last_sequence');
    // By this time all days are old.
    const late = { keepMonths: 1, now: Date.parse('2027-03-01') };
    expect(await dropOldDays(relaying.pool, 'ranks', late)).toBeGreaterThan(0);
    expect(await rowsOf('leaderboard_rankings', 'leaderboard, run_start, rank')).toEqual(rankings);
    const after = await rowsOf('leaderboard_changes', 'last_sequence');
    expect(before).toEqual(expect.arrayContaining(after));
    const rankingOf = (row: Record<string, unknown>): string =>
      [row.user_id, row.leaderboard, row.run_start, row.ranking_group].join();
    expect(after.map(rankingOf).sort()).toEqual([...new Set(before.map(rankingOf))].sort());
  });

  test('on leaderboards in final runs are all dropped; the group of a user stays known', async () => {
    await live();
    const { pool, engine } = relaying;
    const leaderboard = no('leaderboards', 'weekly');
    const { rows } = await pool.query<{ day: number; group: string }>(
      `select run_start - date '1970-01-01' as day, ranking_group as "group" from leaderboard_changes
       where tenant = $1 and leaderboard = $2 and user_id = 'ann' order by run_start limit 1`,
      [engine.tenant, leaderboard],
    );
    const { day, group } = rows[0]!;
    const run = [engine.tenant, leaderboard, day];
    await pool.query(
      `insert into leaderboard_runs values ($1, $2, date '1970-01-01' + $3::integer, date '1970-01-07' + $3::integer, now(), false)`,
      run,
    );
    await pool.query(
      `insert into leaderboard_places values ($1, $2, date '1970-01-01' + $3::integer, $4, 1, 1, 'ann', 1)`,
      [...run, group],
    );
    // By this time all days are old.
    await dropOldDays(pool, 'ranks', { keepMonths: 1, now: Date.parse('2027-03-01') });
    const left = await rowsOf(`(select tenant, run_start - date '1970-01-01' as day from leaderboard_changes
      where leaderboard = ${leaderboard}) as t`);
    expect(left.filter((row) => row.day === day)).toEqual([]);
    const read = await readRunGroup(
      pool,
      { tenant: engine.tenant, userId: 'ann' },
      { leaderboard, start: day },
    );
    expect(read).toBe(group);
  });

  test('are dropped by a run that continues where another one ended', async () => {
    await live();
    const before = await days('streak_extensions');
    expect(await dropOldDays(relaying.pool, 'streaks', { ...options, signal: AbortSignal.abort() })).toBe(0);
    expect(await days('streak_extensions')).toEqual(before);
    const progress = { before: '2026-10-01', tenant: relaying.engine.tenant, userId: 'ann', isDone: false };
    await replaceFact(relaying.pool, 'dropped-streaks', JSON.stringify(progress));
    await dropOldDays(relaying.pool, 'streaks', options);
    const left = await days('streak_extensions');
    expect(left.filter((row) => row.startsWith('ann'))).toEqual(
      before.filter((row) => row.startsWith('ann')),
    );
    expect(left.length).toBeLessThan(before.length);
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
