import { afterEach, describe, expect, test } from 'vitest';
import { applyConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import { fixCells } from '../../src/db/installation.ts';
import { findDueRewards, restartDueRewards } from '../../src/db/leaderboards/dueRewardRows.ts';
import { carryOutErasure, requestErasure } from '../../src/engine/erasure/eraseUser.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { userIdOf } from '../../src/redis/state/rankingEntries.ts';
import { type Chronicle, createChronicle } from '../support/chronicle.ts';
import { createEngine, type Engine } from '../support/engine.ts';
import { item, items, metricBoard, xp, xpBoard } from '../support/items.ts';
import { emptyRedis } from '../support/redisData.ts';

/** Rewards for ranks: given once when a run is final, whatever is repeated, interrupted or lost. */

const START = '2026-10-05T00:00:00Z';
const IN_THE_RUN = '2026-10-06T12:00:00Z';
const FINAL = Date.parse('2026-10-12T12:00:00Z');
const WEEK_MS = 7 * 86_400_000;
const CONFIG = {
  attributes: { user: items('team') },
  metrics: items('lessons'),
  achievements: [
    item('champion', { trigger: 'api' }),
    item('podium', { trigger: 'api' }),
    item('legend', { trigger: 'achievement', achievements: ['champion', 'podium'] }),
  ],
  points: [
    xp([{ type: 'achievement', achievement: 'legend', points: 7 }], {
      levels: [item('pro', { description: 'Pro', points: 500 })],
      boosts: [{ name: 'Double', start: '2026-10-01', multiplier: 2 }],
    }),
    {
      key: 'gems',
      name: 'Gems',
      maxPoints: 5,
      triggers: [{ type: 'achievement', achievement: 'legend', points: 1 }],
    },
  ],
  leaderboards: [
    metricBoard('week', {
      runUnit: 'week',
      runInterval: 1,
      start: '2026-10-05',
      rewards: [
        { from: 1, to: 1, points: { system: 'xp', amount: 500 } },
        { from: 1, to: 2, points: { system: 'xp', amount: 50 } },
        { from: 1, to: 2, points: { system: 'gems', amount: 4 } },
        { from: 1, to: 1, achievement: 'champion' },
        { from: 1, to: 3, achievement: 'podium' },
      ],
    }),
    xpBoard('riches'),
  ],
};

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Begun {
  engine: Engine;
  chronicle: Chronicle;
}

/** @param scores of users in the first run @param board fields that differ */
async function begin(scores: Record<string, number>, board: object = {}): Promise<Begun> {
  const [week, riches] = CONFIG.leaderboards;
  const config = { ...CONFIG, leaderboards: [{ ...week, ...board }, riches] };
  const engine = await createEngine(config, START);
  ends.push(() => engine.close());
  const chronicle = await createChronicle(engine, config);
  ends.push(() => chronicle.close());
  await fixCells(chronicle.pool, { cells: engine.cells.count, spread: engine.cells.spread });
  await score(engine, IN_THE_RUN, scores);
  engine.clock.set(FINAL);
  return { engine, chronicle };
}

async function score(engine: Engine, at: string, scores: Record<string, number>): Promise<void> {
  engine.clock.set(at);
  for (const [id, value] of Object.entries(scores)) {
    await engine.record('lessons', { user: { id, attributes: { team: id[0]! } }, value });
  }
}

/** `user system awarded total trigger day run rank` of all awards. */
async function awardsOf({ chronicle }: Begun): Promise<string[]> {
  const rows = await chronicle.query<{ award: string }>(
    `select concat_ws(' ', user_id, system, awarded, total, case when trigger < 0 then 'board' end, local_date,
       reward ->> 'run', reward ->> 'rank', cardinality(boosts)) as award
     from award_history where tenant = $1 order by user_id, system, sequence, n`,
  );
  return rows.map(({ award }) => award);
}

async function totalsOf({ engine }: Begun, userId: string) {
  const { user, rules } = await engine.users.read(engine.rules(), userId);
  const achievements = [...user.achievements.keys()].map((no) => rules.byNo('achievements', no).key).sort();
  return { xp: user.points.get(1) ?? 0, gems: user.points.get(2) ?? 0, achievements };
}

const isDone = async ({ chronicle }: Begun): Promise<boolean> =>
  (await chronicle.pool.query('select from due_rewards')).rowCount === 0;

const [ANN, BEN, CID] = [
  { xp: 557, gems: 5, achievements: ['champion', 'legend', 'podium'] },
  { xp: 50, gems: 4, achievements: ['podium'] },
  { xp: 0, gems: 0, achievements: ['podium'] },
];
const SCORES = { ann: 9, ben: 5, cid: 3, dan: 1 };

describe('a final run', () => {
  test('gives points and achievements, from which levels and further achievements follow', async () => {
    const begun = await begin(SCORES);
    await begun.chronicle.advance(FINAL);
    expect(await awardsOf(begun)).toEqual([
      // The award of a trigger is dated as always; boosts do not apply.
      'ann 1 7 7 2026-10-12',
      'ann 1 550 557 board 2026-10-11 2026-10-05 1',
      'ann 2 1 1 2026-10-12',
      'ann 2 4 5 board 2026-10-11 2026-10-05 1',
      'ben 1 50 50 board 2026-10-11 2026-10-05 2',
      'ben 2 4 4 board 2026-10-11 2026-10-05 2',
    ]);
    expect(await totalsOf(begun, 'ann')).toEqual(ANN);
    expect(await totalsOf(begun, 'ben')).toEqual(BEN);
    expect(await totalsOf(begun, 'cid')).toEqual(CID);
    expect(await totalsOf(begun, 'dan')).toEqual({ xp: 0, gems: 0, achievements: [] });
    expect(await isDone(begun)).toBe(true);
  });

  test('gives to each rank of each group, and to all who share a rank', async () => {
    const board = { breakdownAttributes: ['team'], ties: 'shared' };
    const begun = await begin({ ann: 3, abe: 3, ada: 2, bob: 1 }, board);
    await begun.chronicle.advance(FINAL);
    const ranks = Object.fromEntries(
      await Promise.all(['ann', 'abe', 'ada', 'bob'].map(async (id) => [id, await totalsOf(begun, id)])),
    );
    expect(ranks).toMatchObject({ ann: { xp: 557 }, abe: { xp: 557 }, bob: { xp: 557 } });
    // The next rank is 3.
    expect(ranks.ada).toEqual(CID);
  });

  test('gives points to the better rank first, as the order of equal totals shows', async () => {
    const begun = await begin(SCORES, { rewards: REWARDS_OF_2 });
    const { engine, chronicle } = begun;
    // The first call for ann lacks this calendar.
    const other = await engine.server();
    await other.record('lessons', { user: { id: 'ann', tz: 'Asia/Tokyo' }, value: 1 });
    await chronicle.advance(FINAL);
    const ofCells = await Promise.all(
      engine.rankingKeys('2:18262:').map((key) => engine.redis.zrange(key, '0', '-1', 'REV')),
    );
    expect(ofCells.flat().sort().reverse().map(userIdOf)).toEqual(['ann', 'ben']);
  });

  test('rewards no user without a rank: hidden, opted out, or beyond the last place', async () => {
    const begun = await begin({ ...SCORES, eve: 20, fay: 30 }, { maxParticipants: 2, rewards: REWARDS_OF_2 });
    const { users } = begun.engine;
    const [board] = begun.engine.rules().config.leaderboards;
    begun.engine.clock.set(IN_THE_RUN);
    await users.correct(begun.engine.rules(), 'eve', { op: 'hide', board: board! });
    await users.prefer(begun.engine.rules(), 'fay', { leaderboards: { visible: false } });
    begun.engine.clock.set(FINAL);
    await begun.chronicle.advance(FINAL);
    expect(await totalsOf(begun, 'ann')).toMatchObject({ xp: 10 });
    for (const id of ['cid', 'eve', 'fay']) expect(await totalsOf(begun, id)).toMatchObject({ xp: 0 });
  });

  test('gives what was configured when it became final, without what is gone since', async () => {
    const begun = await begin(SCORES);
    const { engine, chronicle } = begun;
    const { redis, cells, tenant, users } = engine;
    const { reward } = users;
    users.reward = () => Promise.reject(new Error('killed'));
    await expect(chronicle.advance(FINAL)).rejects.toThrow('killed');
    users.reward = reward;
    const [champion, ...achievements] = CONFIG.achievements;
    const file = {
      ...CONFIG,
      achievements: [{ ...champion, status: 'inactive' }, ...achievements],
      leaderboards: [{ ...CONFIG.leaderboards[0], rewards: [] }],
    };
    await applyConfig(
      { pool: chronicle.pool, redis, cells, tenant, actor: 'test', now: FINAL },
      parseConfigFile(JSON.stringify(file), 'test'),
    );
    await chronicle.advance(FINAL);
    expect(await totalsOf(begun, 'ann')).toEqual({ xp: 550, gems: 4, achievements: ['podium'] });
  });
});

const LEAGUE = {
  groupSize: 3,
  tiers: [
    item('bronze', { promote: 1 }),
    item('silver', { promote: 1, demote: 1 }),
    item('gold', { demote: 1 }),
  ],
};
const xpFor = (amount: number, condition: object) => ({ ...condition, points: { system: 'xp', amount } });

describe('a league', () => {
  const RUN_OVER = Date.parse('2026-10-12T00:00:00Z');
  const rewards = [
    xpFor(1, { from: 1, to: 2 }),
    xpFor(10, { tier: 'bronze' }),
    xpFor(100, { promoted: true }),
    xpFor(1_000, { tier: 'silver', promoted: true }),
    xpFor(10_000, { tier: 'silver', from: 2, to: 3 }),
    { tier: 'gold', promoted: true, achievement: 'champion' },
  ];

  test('rewards tiers, promotions and tiers that users reach', async () => {
    const begun = await begin({ ann: 9, ben: 5, cid: 3 }, { league: LEAGUE, rewards });
    await begun.chronicle.advance(RUN_OVER);
    const totals = () => Promise.all(['ann', 'ben', 'cid'].map((id) => totalsOf(begun, id)));
    expect((await totals()).map(({ xp }) => xp)).toEqual([1_111, 11, 10]);
    await score(begun.engine, '2026-10-13T12:00:00Z', { ann: 1, cid: 2 });
    begun.engine.clock.set(RUN_OVER + WEEK_MS);
    await begun.chronicle.advance(RUN_OVER + WEEK_MS);
    // Alone in silver, ann reaches gold. In bronze, cid is promoted.
    expect((await totals()).map(({ xp }) => xp)).toEqual([1_111 + 101, 11, 10 + 1_111]);
    expect((await totals())[0]!.achievements).toEqual(['champion']);
    const { rows } = await begun.chronicle.pool.query(
      `select local_date::text as day from award_history where user_id = 'ann' order by recorded_at`,
    );
    expect(rows).toEqual([{ day: '2026-10-11' }, { day: '2026-10-18' }]);
  });
});

const REWARDS_OF_2 = [{ from: 1, to: 2, points: { system: 'xp', amount: 10 } }];

describe('rewards are given once', () => {
  test('by several processes, again and again', async () => {
    const begun = await begin(SCORES);
    await Promise.all(Array.from({ length: 4 }, () => begun.chronicle.advance(FINAL)));
    await begun.chronicle.advance(FINAL);
    expect(await totalsOf(begun, 'ann')).toEqual(ANN);
    expect((await awardsOf(begun)).length).toBe(6);
  });

  test('for each run, in order', async () => {
    const begun = await begin(SCORES);
    await score(begun.engine, '2026-10-13T12:00:00Z', { ann: 1, ben: 2 });
    begun.engine.clock.set(FINAL + WEEK_MS);
    await begun.chronicle.advance(FINAL + WEEK_MS);
    expect(await totalsOf(begun, 'ann')).toMatchObject({ xp: 557 + 50 });
    expect(await totalsOf(begun, 'ben')).toMatchObject({ xp: 50 + 557 });
  });

  test('if a worker dies after each reward, and if Redis is lost in between', async () => {
    const users = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`user-${i}`, 100 - i]));
    const rewards = [{ from: 1, to: 12, points: { system: 'xp', amount: 10 } }];
    const begun = await begin(users, { rewards });
    const { engine, chronicle } = begun;
    const given: string[] = [];
    const { reward } = engine.users;
    // Dies after every fifth reward: before it is noted.
    engine.users.reward = async function (this: typeof engine.users, rules, userId, what) {
      const done = await reward.call(this, rules, userId, what);
      given.push(userId);
      if (given.length % 5 === 0) throw new Error('killed');
      return done;
    };
    await expect(chronicle.advance(FINAL)).rejects.toThrow('killed');
    expect(await isDone(begun)).toBe(false);
    await chronicle.query('select $1::int');
    await foldRelayedStates(chronicle.pool, { wait: true });
    await emptyRedis(engine.redis);
    const { pool } = chronicle;
    await restore({
      pool,
      redis: engine.redis,
      progress: noProgress,
      now: FINAL,
      replace: false,
      testClock: false,
    });
    await expect(chronicle.advance(FINAL)).rejects.toThrow('killed');
    engine.users.reward = reward;
    await chronicle.advance(FINAL);
    await chronicle.advance(FINAL);
    expect(given.length).toBeGreaterThanOrEqual(10);
    for (const id of Object.keys(users)) expect(await totalsOf(begun, id)).toMatchObject({ xp: 10 });
    expect(await awardsOf(begun)).toHaveLength(12);
    expect(await isDone(begun)).toBe(true);
  });

  test('from where the last batch ended', async () => {
    const users = Object.fromEntries(Array.from({ length: 450 }, (_, i) => [`u${i}`, 1000 - i]));
    const begun = await begin(users, {
      rewards: [{ from: 1, to: 420, points: { system: 'xp', amount: 1 } }],
    });
    const { engine, chronicle } = begun;
    const { reward } = engine.users;
    let calls = 0;
    engine.users.reward = function (this: typeof engine.users, ...args) {
      calls++;
      if (calls === 250) throw new Error('killed');
      return reward.call(this, ...args);
    };
    await expect(chronicle.advance(FINAL)).rejects.toThrow('killed');
    const before = calls;
    expect((await awardsOf(begun)).length).toBeGreaterThan(240);
    const due = { tenant: engine.tenant, leaderboard: 1 };
    expect((await findDueRewards(chronicle.pool, due))!.rewards).toHaveLength(1);
    await chronicle.advance(FINAL);
    // The batch of 200 that was not noted is repeated.
    expect(calls - before).toBe(220);
    expect(await awardsOf(begun)).toHaveLength(420);
    await restartDueRewards(chronicle.pool);
    expect(await isDone(begun)).toBe(true);
  });

  test('and not to users who have been erased or blocked, nor to a new one with the same id', async () => {
    const begun = await begin(SCORES);
    const { engine, chronicle } = begun;
    const { redis, cells, rulesStore, tenant, users } = engine;
    const { reward } = users;
    users.reward = () => Promise.reject(new Error('killed'));
    await expect(chronicle.advance(FINAL)).rejects.toThrow('killed');
    users.reward = reward;
    const parts = { pool: chronicle.pool, redis, cells, rulesStore, scripts: new Scripts(redis, cells) };
    for (const userId of ['ann', 'ben']) {
      await requestErasure(parts, { tenant, userId }, { actor: 'test', now: FINAL });
      expect(await carryOutErasure(parts, { tenant, userId }, 10_000)).toBe(true);
    }
    await engine.record('lessons', { user: { id: 'ben' }, value: 1 });
    await users.correct(engine.rules(), 'cid', { op: 'block', until: null });
    await chronicle.advance(FINAL);
    expect(await totalsOf(begun, 'ben')).toEqual({ xp: 0, gems: 0, achievements: [] });
    expect(await totalsOf(begun, 'cid')).toEqual({ xp: 0, gems: 0, achievements: [] });
    await expect(totalsOf(begun, 'ann')).rejects.toThrow('does not exist');
  });
});
