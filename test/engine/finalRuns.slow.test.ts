import { afterEach, describe, expect, test } from 'vitest';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { fixCells } from '../../src/db/installation.ts';
import { lockRankings, shareRankings } from '../../src/db/leaderboards/finalRunRows.ts';
import { transaction } from '../../src/db/pool.ts';
import { carryOutErasure, requestErasure } from '../../src/engine/erasure/eraseUser.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { type Chronicle, createChronicle } from '../support/chronicle.ts';
import { createEngine, type Engine } from '../support/engine.ts';
import { items, perLesson, WEEKLY, xp, xpBoard } from '../support/items.ts';
import { emptyRedis } from '../support/redisData.ts';
import { until } from '../support/until.ts';

/** How runs become final: late, by several at once, beside erasures and a Redis that is lost. */

const START = '2026-10-05T00:00:00Z';
const DAY_MS = 86_400_000;
const CONFIG = {
  attributes: { user: items('team') },
  metrics: items('lessons'),
  points: [xp([perLesson(10), { type: 'time', timeUnit: 'days', timeInterval: 1, points: 3 }])],
  leaderboards: [xpBoard('week', { breakdownAttributes: ['team'], ...WEEKLY, start: '2026-10-05' })],
};
const USERS = [
  { id: 'ann', tz: 'Pacific/Kiritimati', attributes: { team: 'red' } },
  { id: 'bob', tz: 'Etc/GMT+12', attributes: { team: 'red' } },
  { id: 'cid', tz: 'America/New_York', attributes: { team: 'blue' } },
];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/**
 * An engine with a history, whose users have had an event on the second day of the first week.
 * @param more leaderboards
 */
async function begin(...more: object[]): Promise<{ engine: Engine; chronicle: Chronicle }> {
  const config = { ...CONFIG, leaderboards: [...CONFIG.leaderboards, ...more] };
  const engine = await createEngine(config, START);
  ends.push(() => engine.close());
  const chronicle = await createChronicle(engine, config);
  ends.push(() => chronicle.close());
  engine.clock.set(Date.parse(START) + 1.5 * DAY_MS);
  for (const user of USERS) await engine.record('lessons', { user, value: 1 });
  return { engine, chronicle };
}

const rankingsOf = (engine: Engine): Promise<string[]> => engine.rankingNames();
const finalOf = async ({ query }: Chronicle): Promise<string[]> =>
  (
    await query<{ place: string }>(
      `select run_start || ' ' || ranking_group || ' ' || rank || ' ' || user_id || ' ' || value as place
       from leaderboard_places where tenant = $1 and leaderboard = 1 order by 1`,
    )
  ).map(({ place }) => place);

// Points come at midnight where they are: from the third day of the week on, and all seven days of the next
// ones.
const WEEKS = [
  ...['2026-10-05 3:red 1 bob 25', '2026-10-05 3:red 2 ann 22', '2026-10-05 4:blue 1 cid 25'],
  ...['2026-10-12 3:red 1 ann 21', '2026-10-12 3:red 2 bob 21', '2026-10-12 4:blue 1 cid 21'],
];
const IN_TWO_WEEKS = Date.parse('2026-10-19T12:00:00Z');

describe('rankings become final', () => {
  test('with everything that was due by then, even for users who were not settled', async () => {
    const { engine, chronicle } = await begin();
    engine.clock.set(IN_TWO_WEEKS + 20 * DAY_MS);
    await chronicle.advance(IN_TWO_WEEKS);
    expect(await finalOf(chronicle)).toEqual(WEEKS);

    const timely = await begin();
    for (let now = timely.engine.clock.now(); now <= IN_TWO_WEEKS; now += DAY_MS / 2) {
      timely.engine.clock.set(now);
      await timely.engine.sweep.run(now);
      await timely.chronicle.advance(now);
    }
    expect(await finalOf(timely.chronicle)).toEqual(WEEKS);
  });

  test('with the best of those outside in a place that has become free', async () => {
    const pair = { key: 'pair', name: 'Pair', rankBy: 'metric', metric: 'lessons', maxParticipants: 2 };
    const { engine, chronicle } = await begin({
      ...pair,
      runUnit: 'day',
      runInterval: 7,
      start: '2026-10-05',
    });
    for (const [id, value] of Object.entries({ ann: 5, bob: 3, cid: 1 })) {
      await engine.record('lessons', { user: { id }, value });
    }
    engine.clock.set('2026-10-10T12:00:00Z');
    await engine.record('lessons', { user: { id: 'bob' }, value: -4 });
    engine.clock.set(IN_TWO_WEEKS);
    await chronicle.advance(IN_TWO_WEEKS);
    const places = await chronicle.query(
      `select rank, user_id as id, value from leaderboard_places
       where tenant = $1 and leaderboard = 2 and run_start = '2026-10-05' order by rank`,
    );
    expect(places).toEqual([
      { rank: 1, id: 'ann', value: 6 },
      { rank: 2, id: 'cid', value: 2 },
    ]);
  });

  test('once, even if several processes do it at the same time', async () => {
    const { engine, chronicle } = await begin();
    engine.clock.set(IN_TWO_WEEKS);
    await Promise.all(Array.from({ length: 4 }, () => chronicle.advance(IN_TWO_WEEKS)));
    expect(await finalOf(chronicle)).toEqual(WEEKS);
    expect(await rankingsOf(engine)).toHaveLength(2);
    await chronicle.advance(IN_TWO_WEEKS);
    expect(await finalOf(chronicle)).toEqual(WEEKS);
  });
});

describe('a Redis that lost its data', () => {
  const restoreIn = ({ redis, clock }: Engine, { pool }: Chronicle) => {
    return restore({ pool, redis, progress: noProgress, now: clock.now(), replace: false, testClock: false });
  };

  test('makes no run final before the restore, and then all runs as they were', async () => {
    const { engine, chronicle } = await begin();
    await fixCells(chronicle.pool, { cells: engine.cells.count, spread: engine.cells.spread });
    await chronicle.query('select $1::int');
    await foldRelayedStates(chronicle.pool, { wait: true });
    await emptyRedis(engine.redis);
    engine.clock.set(IN_TWO_WEEKS);
    await expect(chronicle.advance(IN_TWO_WEEKS)).rejects.toThrow();
    expect((await chronicle.pool.query('select from leaderboard_runs')).rowCount).toBe(0);
    await restoreIn(engine, chronicle);
    await chronicle.advance(IN_TWO_WEEKS);
    expect(await finalOf(chronicle)).toEqual(WEEKS);
  });

  test('is restored without the rankings that are final', async () => {
    // On this one users stay in the first week, in which they did something.
    const lessons = { key: 'lessons', name: 'Lessons', rankBy: 'metric', metric: 'lessons' };
    const { engine, chronicle } = await begin({
      ...lessons,
      runUnit: 'day',
      runInterval: 7,
      start: '2026-10-05',
    });
    await fixCells(chronicle.pool, { cells: engine.cells.count, spread: engine.cells.spread });
    engine.clock.set(IN_TWO_WEEKS);
    const closed = Date.parse('2026-10-12T12:00:00Z');
    await chronicle.advance(closed);
    await engine.record('lessons', { user: { id: 'ann' }, value: 1 });
    await chronicle.query('select $1::int');
    await foldRelayedStates(chronicle.pool, { wait: true });
    const before = (await rankingsOf(engine)).sort();
    const first = Date.parse(START) / DAY_MS;
    expect(before.map((key) => (Number(key.split(':')[1]) - first) / 7)).toEqual([1, 1, 2, 2]);
    await emptyRedis(engine.redis);
    await restoreIn(engine, chronicle);
    expect((await rankingsOf(engine)).sort()).toEqual(before);
    expect(await finalOf(chronicle)).toEqual(WEEKS.slice(0, 3));
  });
});

describe('an erasure', () => {
  test('and a run that becomes final exclude each other', async () => {
    const { engine, chronicle } = await begin();
    const { redis, cells, rulesStore, tenant, clock } = engine;
    const { pool } = chronicle;
    const parts = { pool, redis, cells, rulesStore, scripts: new Scripts(redis, cells) };
    const user = { tenant, userId: 'bob' };
    clock.set(IN_TWO_WEEKS);
    const isWaiting = async (): Promise<boolean> =>
      (await pool.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rowCount === 1;

    let advanced: Promise<void> | undefined;
    await transaction(pool, async (client) => {
      expect(await shareRankings(client, tenant)).toBe(true);
      advanced = chronicle.advance(IN_TWO_WEEKS);
      await until(isWaiting);
    });
    await advanced;
    expect(await finalOf(chronicle)).toEqual(WEEKS);

    await requestErasure(parts, user, { actor: 'test', now: clock.now() });
    await transaction(pool, async (client) => {
      await lockRankings(client, tenant);
      expect(await carryOutErasure(parts, user, 10_000)).toBe(false);
    });
    expect(await carryOutErasure(parts, user, 10_000)).toBe(true);
    // Ranks stay as they were given.
    expect(await finalOf(chronicle)).toEqual(WEEKS.filter((place) => !place.includes('bob')));
  });
});
