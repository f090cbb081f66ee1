import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { homeCellOf } from '../../src/base/cells.ts';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { noProgress } from '../../src/base/progress.ts';
import { type CheckReport, check } from '../../src/commands/check/check.ts';
import { DIFFERENCE_KINDS, type DifferenceKind } from '../../src/commands/check/differences.ts';
import type { Pool } from '../../src/db/pool.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readRelayLag } from '../../src/redis/state/relayProgress.ts';
import { testCells } from '../support/cells.ts';
import { EVERY_KIND } from '../support/everyKind.ts';
import { item, metricBoard, WEEKLY } from '../support/items.ts';
import { runLaurel } from '../support/laurelCommand.ts';
import { DAY_MS, dayFromStart, START_MS } from '../support/testTime.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

const CELLS = testCells(4);
const CELL = homeCellOf(1, CELLS);
const USERS = 30;
const OF_USER_7 = `user_no in (select no from user_numbers where user_id = 'user-7')`;
/** First day of the league. */
const RUN_START = dayFromStart(-2);
/** With a full leaderboard, so that some users are behind its last rank. */
const CONFIG = {
  ...EVERY_KIND,
  leaderboards: [
    ...EVERY_KIND.leaderboards,
    metricBoard('small', { maxParticipants: 5, start: '2026-01-01' }),
    metricBoard('city', { breakdownAttributes: ['city'], start: '2026-01-01' }),
    metricBoard('league', {
      ...WEEKLY,
      start: RUN_START,
      league: { groupSize: 4, tiers: [item('bronze', { promote: 2 }), item('silver', { demote: 1 })] },
    }),
  ],
};

const server = useServer({ config: CONFIG, env: { LAUREL_CELLS: String(CELLS.count) }, relay: true });
const { record } = server;
let pool: Pool;
let redis: Redis;

beforeAll(async () => {
  ({ pool, redis } = server);
  await play();
  // The first run of repeating leaderboards is final.
  await server.moveTo(START_MS + 9 * DAY_MS);
  await play();
});

async function play(): Promise<void> {
  for (let i = 0; i < USERS; i++) {
    const user = { id: `user-${i}`, name: `User ${i}`, attributes: { city: i % 2 ? 'Ulm' : 'Bonn' } };
    await record(user, 1 + (i % 3));
    if (i % 2 === 0) await record({ id: `user-${i}` }, 0.1);
    if (i % 5 === 0)
      await server.call('POST', '/v1/achievements/profile/complete', { user: { id: user.id } });
  }
}

async function settleDown(): Promise<void> {
  await until(async () => (await readRelayLag(redis, CELLS)).entries === 0);
  await foldRelayedStates(pool, { wait: true });
}

const run = (all = true): Promise<CheckReport> => check({ pool, redis, progress: noProgress, all });

test('whole stores do not differ, neither all of them nor a sample', async () => {
  await settleDown();
  for (const all of [true, false]) {
    const { rankings, ...report } = await run(all);
    expect(report).toEqual({ users: USERS, unsettled: 0, counts: {}, differences: [] });
    expect(rankings).toBeGreaterThanOrEqual(4);
  }
});

test('changes during a check are no differences', async () => {
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: 4 }, async (_, client) => {
      for (let i = 0; !isOver; i++) await record({ id: `user-${(client + i) % USERS}`, name: `N${i}` }, 1);
    }),
  );
  try {
    for (let i = 0; i < 3; i++) expect(await run()).toMatchObject({ differences: [] });
  } finally {
    isOver = true;
    await load;
  }
});

interface Damage {
  kind: DifferenceKind;
  text: RegExp;
  /** Changes one store behind laurel's back; returns how to undo it. */
  inject(): Promise<() => Promise<unknown>>;
}

const sql =
  (change: string, undo: string): Damage['inject'] =>
  async () => {
    await pool.query(change);
    return () => pool.query(undo);
  };

/** Changes a key of Redis and puts back what it held. */
const onKey =
  (key: string, change: () => Promise<unknown>): Damage['inject'] =>
  async () => {
    const before = await redis.dumpBuffer(key);
    await change();
    return () => redis.restore(key, 0, before!, 'REPLACE');
  };

const seen = keys.seen(1, CELL);
const stats = keys.stats(1, CELL);
const ever = keys.board(1, CELL, 2, 20_454, '');
const seats = keys.league(1, CELL, 5, Date.parse(RUN_START) / DAY_MS + 7);
const user7 = keys.user(1, CELL, 'user-7');

const DAMAGES: Record<string, Damage> = {
  'a user missing in Redis': {
    kind: 'users',
    text: /user-7.*PostgreSQL has the user, Redis does not/,
    inject: onKey(user7, () => redis.del(user7)),
  },
  'a user missing in the registry': {
    kind: 'users',
    text: /user-7.*missing in the registry in Redis/,
    inject: onKey(seen, () => redis.zrem(seen, 'user-7')),
  },
  'a user missing in PostgreSQL': {
    kind: 'users',
    text: /user-7.*Redis has the user, PostgreSQL does not/,
    inject: sql(
      `update users set user_id = 'gone-7' where user_id = 'user-7'`,
      `update users set user_id = 'user-7' where user_id = 'gone-7'`,
    ),
  },
  'another name': {
    kind: 'profile',
    text: /user-7.*name: Redis ".*", PostgreSQL "Eve"/,
    inject: async () => {
      const { rows } = await pool.query(`select name from users where user_id = 'user-7'`);
      await pool.query(`update users set name = 'Eve' where user_id = 'user-7'`);
      return () => pool.query(`update users set name = $1 where user_id = 'user-7'`, [rows[0].name]);
    },
  },
  'another attribute': {
    kind: 'profile',
    text: /user-7.*attribute city: Redis "Ulm", PostgreSQL "Rome"/,
    inject: sql(
      `update user_attributes set value = 'Rome' where user_id = 'user-7'`,
      `update user_attributes set value = 'Ulm' where user_id = 'user-7'`,
    ),
  },
  'an event with another value': {
    kind: 'totals',
    text: /user-7.*metric lessons: Redis .*, sum of the events/,
    inject: sql(
      `update recorded_events set value = value + 1 where ${OF_USER_7}`,
      `update recorded_events set value = value - 1 where ${OF_USER_7}`,
    ),
  },
  'an event with another total': {
    kind: 'totals',
    text: /user-7.*metric lessons: Redis .*, after the last event/,
    inject: sql(
      `update recorded_events set total = total + 1 where ${OF_USER_7}`,
      `update recorded_events set total = total - 1 where ${OF_USER_7}`,
    ),
  },
  'another total of points': {
    kind: 'points',
    text: /user-7.*xp: Redis \d+, PostgreSQL \d+/,
    inject: sql(
      `update points_totals set total = total + 1 where user_id = 'user-7'`,
      `update points_totals set total = total - 1 where user_id = 'user-7'`,
    ),
  },
  'a lost award': {
    kind: 'points',
    text: /user-7.*xp: Redis \d+, sum of the awards \d+/,
    inject: sql(
      `insert into points_awards (recorded_at, sequence, awarded, total, id, tenant, system, trigger, local_date, n, user_id)
       select recorded_at, 9999, 5, 5, gen_random_uuid(), 1, 1, 1, local_date, 1, 'user-7' from recorded_events limit 1`,
      'delete from points_awards where sequence = 9999',
    ),
  },
  'a completion that the history lacks': {
    kind: 'achievements',
    text: /user-5.*profile: Redis \d{4}-.*, history not completed/,
    inject: sql(
      `update completed_achievements set user_id = 'gone-5' where user_id = 'user-5' and achievement = 2`,
      `update completed_achievements set user_id = 'user-5' where user_id = 'gone-5'`,
    ),
  },
  'a run of a challenge that the user has not completed': {
    kind: 'challenges',
    text: /user-7.*quest: Redis 2 completed runs, history 3/,
    inject: sql(
      `insert into challenge_steps (tenant, user_id, challenge, run, step, happened_at)
       select tenant, user_id, challenge, 9999, step, min(happened_at) from challenge_steps
       where user_id = 'user-7' and step = 'completed' group by 1, 2, 3, 4, 5`,
      'delete from challenge_steps where run = 9999',
    ),
  },
  'another length of a streak': {
    kind: 'streak',
    text: /user-7.*daily: Redis 1, history 9/,
    inject: sql(
      `update streak_standings set length = 9 where user_id = 'user-7'`,
      `update streak_standings set length = 1 where user_id = 'user-7'`,
    ),
  },
  'another length of a period of a streak': {
    kind: 'streak',
    text: /user-7.*periods: Redis \d+ 1 extended, history \d+ 9 extended/,
    inject: sql(
      `update streak_extensions set length = 9 where user_id = 'user-7'`,
      `update streak_extensions set length = 1 where user_id = 'user-7'`,
    ),
  },
  'a kept award with another trigger': {
    kind: 'history',
    text: /user-9.*awards:1: Redis keeps .*, PostgreSQL has/,
    inject: async () => {
      await server.get('/v1/users/user-9/points/xp');
      const ofUser9 = `user_no = (select no from user_numbers where user_id = 'user-9')`;
      const change = (from: string, to: string) =>
        pool.query(`update recorded_events set awards = replace(awards, $1, $2) where ${ofUser9}`, [
          from,
          to,
        ]);
      await change('[[1,', '[[1,9');
      return () => change('[[1,9', '[[1,');
    },
  },
  'a history that is ahead': {
    kind: 'sequence',
    text: /user-7.*the history has change 1\d{6}, Redis only \d+/,
    inject: sql(
      `update points_totals set sequence = sequence + 1000000 where user_id = 'user-7'`,
      `update points_totals set sequence = sequence - 1000000 where user_id = 'user-7'`,
    ),
  },
  'a snapshot that is behind': {
    kind: 'snapshot',
    text: /user-7.*is of change \d+, Redis has \d+/,
    inject: sql(
      `update user_snapshots set sequence = sequence - 1 where user_id = 'user-7'`,
      `update user_snapshots set sequence = sequence + 1 where user_id = 'user-7'`,
    ),
  },
  'another due time': {
    kind: 'due',
    text: /user-7.*the state is due at \d+, the list says no time/,
    inject: onKey(keys.due(CELL), () => redis.zrem(keys.due(CELL), keys.dueMember(1, 'user-7'))),
  },
  'a score that is not that of the user': {
    kind: 'rankings',
    text: /ever: the state has score \d+, the ranking 999/,
    inject: onKey(ever, async () => redis.zadd(ever, 999, (await redis.zrange(ever, '0', '0'))[0]!)),
  },
  'a user missing in a ranking': {
    kind: 'rankings',
    text: /ever: the state has score \d+, the ranking none/,
    inject: onKey(ever, () => redis.zremrangebyrank(ever, 0, 0)),
  },
  'a ranking with a stranger': {
    kind: 'rankings',
    text: /nobody.*ever: a ranking contains an unknown user/,
    inject: onKey(ever, () => redis.zadd(ever, 1, '0000000000000nobody')),
  },
  'another score in the history': {
    kind: 'rankings',
    text: /user-7.*ever: Redis has score \d+, history \d+/,
    inject: sql(
      `update leaderboard_changes set value = value + 777 where user_id = 'user-7' and leaderboard = 2`,
      `update leaderboard_changes set value = value - 777 where user_id = 'user-7' and leaderboard = 2`,
    ),
  },
  'a seat that is not counted': {
    kind: 'leagues',
    text: /user-7.*league: the user has seat \d+, Redis has counted 0/,
    inject: onKey(seats, () => redis.hset(seats, '1:', 0)),
  },
  'another tier': {
    kind: 'leagues',
    text: /user-7.*league: Redis has tier bronze, PostgreSQL silver/,
    inject: sql(
      `update league_members set tier = 'silver' where user_id = 'user-7'`,
      `update league_members set tier = 'bronze' where user_id = 'user-7'`,
    ),
  },
  'a tier from a later run': {
    kind: 'leagues',
    text: /user-7.*league: Redis has a tier in run 1, PostgreSQL in run 2/,
    inject: sql(
      `update league_members set run_start = run_start + 7 where user_id = 'user-7'`,
      `update league_members set run_start = run_start - 7 where user_id = 'user-7'`,
    ),
  },
  'another count of completions': {
    kind: 'counts',
    text: /completions of two: Redis \d+, PostgreSQL \d+/,
    inject: onKey(stats, () => redis.hincrby(stats, 'completed:1', 3)),
  },
  'rules that are not published': {
    kind: 'rules',
    text: /version \d+ is in force, version \d+ is stored/,
    inject: sql(
      'update tenants set version = version + 1, published = version + 1',
      'update tenants set version = version - 1, published = version - 1',
    ),
  },
  'rules that differ': {
    kind: 'rules',
    text: /the rules in force are not those stored as version/,
    inject: sql(
      `update entities set body = jsonb_set(body, '{name}', '"X"') where key = 'two'`,
      `update entities set body = jsonb_set(body, '{name}', '"Two"') where key = 'two'`,
    ),
  },
  'a transaction that PostgreSQL lacks': {
    kind: 'receipts',
    text: /PostgreSQL is missing 1 relay transactions/,
    inject: async () => {
      const token = '00000000-0000-4000-8000-000000000000';
      await redis.zadd(keys.receipts(CELL), 1e9, token);
      return () => redis.zrem(keys.receipts(CELL), token);
    },
  },
  'a dead entry': {
    kind: 'deadEntries',
    text: /1 outbox entries were put aside/,
    inject: sql(
      `insert into dead_entries (cell, entry_id, reason, fields, died_at) values (0, '1-1', 'test', '{}', now())`,
      'delete from dead_entries',
    ),
  },
};

const shown = ({ differences }: CheckReport): string[] =>
  differences.map(({ kind, userId, text }) => `${kind} ${userId} ${text}`);

test.each(Object.entries(DAMAGES))('%s is named', async (_, { kind, text, inject }) => {
  await settleDown();
  const undo = await inject();
  const report = await run().finally(undo);
  expect(shown(report)).toContainEqual(expect.stringMatching(text));
  expect(report.counts[kind]).toBeGreaterThan(0);
  expect(await run()).toMatchObject({ differences: [] });
});

test('a final ranking that is not that of the history is named', async () => {
  const { rows } = await pool.query('select count(*)::int as count from leaderboard_places');
  expect(rows[0].count).toBeGreaterThan(0);
  await settleDown();
  expect(await run()).toMatchObject({ differences: [] });
  await pool.query('update leaderboard_places set value = value * 2 where rank = 1 and leaderboard = 1');
  const report = await run();
  await pool.query('update leaderboard_places set value = value / 2 where rank = 1 and leaderboard = 1');
  expect(shown(report)).toEqual([expect.stringMatching(/^finalRankings .*weekly, run of .*: final/)]);
});

test('every kind of difference is injected here, and in the documentation', () => {
  const injected = new Set(Object.values(DAMAGES).map(({ kind }) => kind));
  expect(DIFFERENCE_KINDS.filter((kind) => !injected.has(kind))).toEqual(['finalRankings']);
  const page = readFileSync(join(packageRoot(), 'docs', 'operations.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| .* \| .* \|$/gm)].map(([, kind]) => kind);
  expect(rows).toEqual(expect.arrayContaining([...DIFFERENCE_KINDS]));
});

test('the command ends with code 1 if the stores differ, and prints JSON', async () => {
  await settleDown();
  const env = {
    REDIS_URL: server.redisUrl,
    DATABASE_URL: server.databaseUrl,
    LAUREL_TEST_CLOCK: '1',
    LOG_LEVEL: 'error',
  };
  const command = (...args: string[]) => runLaurel(['check', ...args], env);
  expect((await command()).stdout).toContain(`compared ${USERS} users`);
  await redis.hincrby(stats, 'completed:1', 1);
  onTestFinished(async () => void (await redis.hincrby(stats, 'completed:1', -1)));
  await expect(command('--all')).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/counts: tenant 1 completions of two: .*\n.* 1 differences\n$/),
  });
  const { stdout } = await command('--all', '--json').catch((error) => error);
  expect(JSON.parse(stdout)).toMatchObject({ users: USERS, counts: { counts: 1 } });
});
