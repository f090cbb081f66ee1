import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assertSameCells, type Cells, cellOf, cellsOf } from '../../src/base/cells.ts';
import { readEnv } from '../../src/base/env.ts';
import { createLog } from '../../src/base/log.ts';
import { fixCells, readCells } from '../../src/db/installation.ts';
import { createPool } from '../../src/db/pool.ts';
import { publishRules } from '../../src/engine/calls/rulesStore.ts';
import { decodeOutcomes } from '../../src/redis/decoding/decodeOutcomes.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { mergeMembers, readFirstMembers } from '../../src/redis/state/mergedMembers.ts';
import { ticketOf, userIdOf } from '../../src/redis/state/rankingEntries.ts';
import { createTestDatabase } from '../support/database.ts';
import { createEngine, type Engine } from '../support/engine.ts';
import { achievement, items, metricBoard } from '../support/items.ts';
import { scoresOf } from '../support/redisData.ts';

const CELLS: Cells = { count: 8, spread: 4 };
const MAX = 3;
const CONFIG = {
  metrics: items('lessons'),
  achievements: [achievement('one', 1)],
  leaderboards: [metricBoard('all', { maxParticipants: MAX, start: '2026-01-01' })],
};

let engine: Engine;

beforeEach(async () => {
  engine = await createEngine(CONFIG, undefined, CELLS);
});

afterEach(() => engine?.close());

/** Ids of users in the cells of the tenant, in the order of the cells. */
const userIn = (place: number, name = 'u'): string => engine.userIn(engine.tenantCells[place]!, name);

async function record(id: string, value: number) {
  engine.clock.set(engine.clock.now() + 1);
  const outcome = await engine.record('lessons', { user: { id }, value });
  expect(outcome.status).toBe('recorded');
  const { rank, previousRank, threshold } = ('boards' in outcome && outcome.boards[0]) || {
    rank: null,
    previousRank: null,
    threshold: 0,
  };
  return [rank, previousRank, threshold];
}

async function ranking(): Promise<string[]> {
  const [name] = await engine.rankingNames();
  const members = await readFirstMembers(engine.redis, engine.rankingKeys(name!), MAX);
  return scoresOf(members);
}

test('everything of a user is in the cell of the user', async () => {
  const users = [0, 1, 2, 3].map((place) => userIn(place));
  for (const user of users) await record(user, 1);
  for (const [place, user] of users.entries()) {
    const cell = engine.tenantCells[place]!;
    expect(cellOf(engine.tenant, user, CELLS)).toBe(cell);
    const { redis, tenant } = engine;
    expect(await redis.zrange(keys.seen(tenant, cell), '0', '-1')).toEqual([user]);
    expect(
      await redis.exists(keys.user(tenant, cell, user), keys.stats(tenant, cell), keys.outbox(cell)),
    ).toBe(3);
  }
  expect(cellsOf(engine.tenant, CELLS)).toEqual(engine.tenantCells);
});

describe('the ranks in the answer of an event', () => {
  test('are those among the users of all cells', async () => {
    const [ann, bo, cy, dee] = [0, 1, 2, 3].map((place) => userIn(place)) as [string, string, string, string];
    expect(await record(ann, 10)).toEqual([1, null, 0]);
    expect(await record(bo, 20)).toEqual([1, null, 0]);
    expect(await record(cy, 5)).toEqual([3, null, 5]);
    expect(await record(cy, 20)).toEqual([1, 3, 10]);
    expect(await record(ann, 11)).toEqual([2, 3, 20]);
    // Among the best of its cell, but not of all.
    expect(await record(dee, 1)).toEqual([null, null, 0]);
    expect(await record(dee, 19)).toEqual([null, null, 0]);
    expect(await record(dee, 30)).toEqual([1, null, 21]);
    expect(await ranking()).toEqual([`${dee} 50`, `${cy} 25`, `${ann} 21`]);
  });

  test('count users of other cells with an equal score as better', async () => {
    const [ann, bo] = [userIn(0), userIn(1)];
    expect(await record(ann, 10)).toEqual([1, null, 0]);
    expect(await record(bo, 10)).toEqual([2, null, 0]);
  });

  test('follow what other servers record within a second', async () => {
    const [ann, bo] = [userIn(0), userIn(1)];
    await record(ann, 10);
    // As by another server: this one has not seen it.
    const [name] = await engine.rankingNames();
    const run = Number(name!.split(':')[1]);
    const board = keys.board(engine.tenant, engine.tenantCells[2]!, 1, run, '');
    await engine.redis.zadd(board, 100, `${ticketOf(1)}zed`);
    await expect.poll(async () => (await record(bo, 0.001))[0]).toBe(3);
  });
});

describe('once all ranks are taken, scripts', () => {
  /** Numbers of changes of ranks that the next calls of the script report. */
  function countReports(): number[] {
    const commands = engine.redis as unknown as { recordEventsBuffer(...args: unknown[]): Promise<Buffer> };
    const { recordEventsBuffer } = commands;
    const reported: number[] = [];
    commands.recordEventsBuffer = async (...args) => {
      const reply = await recordEventsBuffer.apply(engine.redis, args);
      for (const outcome of decodeOutcomes(reply))
        if ('boards' in outcome) reported.push(outcome.boards.length);
      return reply;
    };
    return reported;
  }

  test('do not report users who come no further than the last rank', async () => {
    const [ann, bo, cy, dee] = [0, 1, 2, 3].map((place) => userIn(place)) as [string, string, string, string];
    for (const [user, value] of [
      [ann, 10],
      [bo, 20],
      [cy, 5],
    ] as const)
      await record(user, value);
    const reported = countReports();
    expect(await record(dee, 4)).toEqual([null, null, 0]);
    expect(await record(dee, 1)).toEqual([null, null, 0]);
    expect(reported).toEqual([0, 0]);
    expect(await record(dee, 1)).toEqual([3, null, 6]);
    expect(await record(cy, -1)).toEqual([null, null, 0]);
    expect(reported.slice(2)).toEqual([1, 0]);
  });

  test('report users who take a rank that has become free', async () => {
    const [ann, bo, cy, dee] = [0, 1, 2, 3].map((place) => userIn(place)) as [string, string, string, string];
    for (const [user, value] of [
      [ann, 10],
      [bo, 20],
      [cy, 15],
      [dee, 4],
    ] as const)
      await record(user, value);
    expect(await record(dee, 1)).toEqual([null, null, 0]);
    expect(await record(ann, -9)).toEqual([null, 3, 5]);
    expect(await record(dee, 1)).toEqual([3, 3, 6]);
  });
});

test('ranks and thresholds of other orders are those among the users of all cells', async () => {
  await engine.close();
  const order = { sortOrder: 'asc', aggregation: 'best', ties: 'shared' };
  const leaderboards = CONFIG.leaderboards.map((board) => ({ ...board, ...order }));
  engine = await createEngine({ ...CONFIG, leaderboards }, undefined, CELLS);
  const [ann, bo, cy, dee] = [0, 1, 2, 3].map((place) => userIn(place)) as [string, string, string, string];
  expect(await record(ann, 10)).toEqual([1, null, 0]);
  expect(await record(bo, 20)).toEqual([2, null, 0]);
  expect(await record(cy, 10)).toEqual([1, null, 20]);
  // As good as the last place, which is taken.
  expect(await record(dee, 20)).toEqual([null, null, 0]);
  expect(await record(dee, 15)).toEqual([3, null, 15]);
  expect(await record(bo, 5)).toEqual([1, null, 10]);
  expect(await record(ann, 2)).toEqual([1, 2, 10]);
  // Scores are sorted with the opposite sign.
  expect(await ranking()).toEqual([`${ann} -2`, `${bo} -5`, `${cy} -10`]);
});

test('equal scores rank by the instant of arrival, whatever the cell', async () => {
  const users = [2, 0, 3, 1].map((place) => userIn(place));
  for (const user of users) await record(user, 7);
  expect(await ranking()).toEqual(users.slice(0, MAX).map((user) => `${user} 7`));
  // In the same cell, a later arrival within the same millisecond is behind.
  const [first, second] = [userIn(1, 'a'), userIn(1, 'b')];
  await engine.record('lessons', { user: { id: first }, value: 9 });
  await engine.record('lessons', { user: { id: second }, value: 9 });
  expect((await ranking()).slice(0, 2)).toEqual([`${first} 9`, `${second} 9`]);
});

test('the best of all cells are the best of the merged replies', () => {
  const random = (() => {
    let seed = 7;
    return (max: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % max;
    };
  })();
  for (let round = 0; round < 50; round++) {
    const members = Array.from({ length: 60 }, (_, i) => ({
      cell: random(4),
      score: random(10),
      ticket: ticketOf(i),
      id: `u${i}`,
    }));
    const byRank = (a: (typeof members)[0], b: (typeof members)[0]): number =>
      b.score - a.score || (a.ticket > b.ticket ? -1 : 1);
    const sorted = [...members].sort(byRank);
    const replies = [0, 1, 2, 3].map((cell) =>
      sorted.filter((one) => one.cell === cell).flatMap((one) => [one.ticket + one.id, String(one.score)]),
    );
    for (const count of [1, 10, 60]) {
      const found = mergeMembers(replies, count)
        .filter((_, i) => i % 2 === 0)
        .map(userIdOf);
      expect(found).toEqual(sorted.slice(0, count).map(({ id }) => id));
    }
  }
});

test('the first members are found however unevenly they are spread over the cells', async () => {
  const { redis } = engine;
  const rankings = [0, 1, 2, 3].map((cell) => `{${cell}}:uneven`);
  for (const better of [0, 1, 3]) {
    for (const [cell, key] of rankings.entries()) {
      const members = Array.from({ length: 400 }, (_, i) => {
        const score = 4 * i + cell + (cell < better ? 10_000 : 0);
        return [score, ticketOf(i) + score] as const;
      });
      await redis.del(key);
      await redis.zadd(key, ...members.flat());
    }
    for (const count of [1, 7, 100, 1_000, 2_000]) {
      const all = await Promise.all(rankings.map((key) => redis.zrange(key, '0', '-1', 'REV', 'WITHSCORES')));
      expect(await readFirstMembers(redis, rankings, count)).toEqual(mergeMembers(all, count));
    }
  }
});

test('a cell that has not got newer rules yet takes no change by older ones after one by newer ones', async () => {
  const [home, second] = engine.tenantCells as [number, number];
  const { redis, tenant } = engine;
  const config = { ...engine.rules().config, version: engine.rules().version + 1 };
  await publishRules(redis, config, CELLS, engine.clock.now());
  for (const cell of engine.tenantCells)
    expect(await redis.get(keys.version(tenant, cell))).toBe(String(config.version));
  // A publication that has come to the first cell only.
  await redis.hset(keys.rules(tenant, home), 'version', config.version + 1);
  await engine.rulesStore.load(tenant);
  await publishRules(
    redis,
    { ...config, version: config.version + 1 },
    { count: 8, spread: 1 },
    engine.clock.now(),
  );
  await engine.rulesStore.load(tenant);
  expect(await redis.get(keys.version(tenant, second))).toBe(String(config.version));
  await record(userIn(1), 1);
  expect(await redis.get(keys.version(tenant, second))).toBe(String(config.version + 1));
});

describe('the number of cells of a tenant', () => {
  test('is not more than there are cells', async () => {
    expect(readEnv({ LAUREL_SPREAD: '12' }).spread).toBe(12);
    expect(() => readEnv({ LAUREL_SPREAD: 'many' })).toThrow('LAUREL_SPREAD');
    const database = await createTestDatabase();
    const pool = createPool(database.url, createLog('test', 'silent'));
    try {
      await expect(fixCells(pool, { cells: 2, spread: 4 })).rejects.toThrow(
        'LAUREL_SPREAD is 4, but there are only 2 cells',
      );
      expect(await readCells(pool)).toBe(null);
      const cells = await fixCells(pool, { cells: 8, spread: 4 });
      expect(cells).toEqual({ count: 8, spread: 4 });
      expect(await fixCells(pool, { cells: null, spread: 2 })).toEqual(cells);
      expect(() => assertSameCells({ cells: null, spread: 2 }, cells)).toThrow(
        'LAUREL_SPREAD is 2, but this installation uses 4',
      );
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
