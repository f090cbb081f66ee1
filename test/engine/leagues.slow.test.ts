import { afterEach, describe, expect, test } from 'vitest';
import { applyConfig } from '../../src/admin/files/applyConfig.ts';
import { parseConfigFile } from '../../src/admin/files/readConfigFile.ts';
import type { LeagueInput } from '../../src/contract/leagues.ts';
import { createEngine as createParts } from '../../src/engine/engine.ts';
import { carryOutErasure, requestErasure } from '../../src/engine/erasure/eraseUser.ts';
import type { Outcome } from '../../src/redis/decoding/outcome.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { findTier } from '../../src/rules/leagueTiers.ts';
import { type Chronicle, createChronicle } from '../support/chronicle.ts';
import { createEngine, type Engine, recordOn, TestClock } from '../support/engine.ts';

/** Groups, tiers and the ends of runs of a league, by an engine with a history. */

const START = '2026-10-05T00:00:00Z';
const WEEK_MS = 7 * 86_400_000;
const LEAGUE: LeagueInput = {
  groupSize: 3,
  tiers: [
    { key: 'bronze', name: 'Bronze', promote: 1 },
    { key: 'silver', name: 'Silver', promote: 1, demote: 1 },
    { key: 'gold', name: 'Gold', demote: 1 },
  ],
};

const configOf = (league: LeagueInput | null, more: object = {}) => ({
  attributes: { user: [{ key: 'team', name: 'Team' }] },
  metrics: [{ key: 'lessons', name: 'Lessons' }],
  leaderboards: [
    {
      key: 'league',
      name: 'League',
      rankBy: 'metric',
      metric: 'lessons',
      runUnit: 'day',
      runInterval: 7,
      start: '2026-10-05',
      ...(league && { league }),
      ...more,
    },
  ],
});

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A league with a history. `play` records a score of a user and answers the group, as `tier/number`. */
async function begin(league: LeagueInput, more: object = {}) {
  const engine = await createEngine(configOf(league, more), START);
  ends.push(() => engine.close());
  const chronicle = await createChronicle(engine, configOf(league, more));
  ends.push(() => chronicle.close());
  const at = (weeks: number): void => engine.clock.set(Date.parse(START) + weeks * WEEK_MS);
  at(0.1);
  return {
    engine,
    chronicle,
    at,
    play: async (
      userId: string,
      value: number,
      attributes: Record<string, string> = {},
      timestamp?: string,
    ) => {
      const request = { user: { id: userId, attributes }, value, ...(timestamp && { timestamp }) };
      return groupIn(engine, await engine.record('lessons', request));
    },
    tierOf: (userId: string) => tierOf(engine, userId),
    /** Applies another configuration. */
    change: async (next: LeagueInput, others: object = {}): Promise<void> => {
      const { pool } = chronicle;
      const { redis, cells, tenant, clock, rulesStore } = engine;
      const context = { pool, redis, cells, tenant, actor: 'test', now: clock.now() };
      await applyConfig(context, parseConfigFile(JSON.stringify(configOf(next, others)), 'test'));
      await rulesStore.loadNewer(engine.rules());
    },
  };
}

/** The group of the first leaderboard that a change has moved the user in, such as `bronze/1 team=red`. */
function groupIn(engine: Engine, outcome: Outcome): string | null {
  const [change] = 'boards' in outcome ? outcome.boards : [];
  if (change === undefined) return null;
  const [tier, number, ...values] = change.group.split(',').map((part) => part.split(':')[1]!);
  const { league } = engine.rules().byNo('leaderboards', change.board);
  return [`${findTier(league!, Number(tier))!.key}/${number}`, ...values].join(' ');
}

/** The tier in the state, with the number of its run: `silver in 1`. */
async function tierOf(engine: Engine, userId: string): Promise<string | null> {
  const { redis, cells, tenant } = engine;
  const [board] = engine.rules().config.leaderboards;
  const state = (await readUserState(redis, cells, { tenant, userId }))?.leagues.get(board!.no);
  return state ? `${findTier(board!.league!, state.tier)!.key} in ${state.run}` : null;
}

const resultsOf = (chronicle: Chronicle): Promise<object[]> =>
  chronicle.query(
    `select run_start::text as run, user_id as user, tier, rank, outcome from leaderboard_places
     where tenant = $1 order by run_start, ranking_group, rank`,
  );

describe('groups', () => {
  test('fill up one after the other, in the order of the first scores', async () => {
    const { play } = await begin(LEAGUE);
    const found = [];
    for (const user of ['ann', 'bob', 'ann', 'cid', 'dan', 'bob', 'eve']) found.push(await play(user, 1));
    expect(found).toEqual([
      'bronze/1',
      'bronze/1',
      'bronze/1',
      'bronze/1',
      'bronze/2',
      'bronze/1',
      'bronze/2',
    ]);
  });

  test('give a last seat to one of the users who come to several servers at the same instant', async () => {
    const { engine, play } = await begin(LEAGUE);
    await play('ann', 1);
    await play('bob', 1);
    const servers = await Promise.all(Array.from({ length: 4 }, () => engine.server()));
    const found = await Promise.all(
      ['cid', 'dan', 'eve', 'fay'].map(async (id, i) => {
        const outcome = await servers[i]!.record('lessons', { user: { id }, value: 1 });
        return [groupIn(engine, outcome), 'boards' in outcome && outcome.boards[0]!.rank].join(' ');
      }),
    );
    expect(found.toSorted()).toEqual(['bronze/1 3', 'bronze/2 1', 'bronze/2 2', 'bronze/2 3']);
    expect((await engine.rankingNames()).length).toBe(2);
  });

  test('have users with the same attributes, and a user who changes an attribute keeps the score', async () => {
    const { engine, play } = await begin(LEAGUE, { breakdownAttributes: ['team'] });
    expect(await play('ann', 5, { team: 'red' })).toBe('bronze/1 red');
    expect(await play('bob', 3, { team: 'blue' })).toBe('bronze/1 blue');
    const outcome = await engine.record('lessons', {
      user: { id: 'ann', attributes: { team: 'blue' } },
      value: 1,
    });
    expect(groupIn(engine, outcome)).toBe('bronze/1 blue');
    expect(outcome).toMatchObject({ boards: [{ rank: 1, value: 6, leftGroup: '1:1,1:1,3:red' }] });
  });

  test('lose users whose score falls to 0, who come back to their seats', async () => {
    const { engine, play } = await begin(LEAGUE);
    await play('ann', 1);
    await play('bob', 1);
    await play('ann', -1);
    expect(await engine.redis.zcard(engine.rankingKeys('1:20731:1:1,1:1')[0]!)).toBe(1);
    for (const user of ['cid', 'dan']) await play(user, 1);
    expect(await play('ann', 2)).toBe('bronze/1');
  });
});

describe('the end of a run', () => {
  /** Scores of a full group, and of a group of one. */
  async function playWeek(league: Awaited<ReturnType<typeof begin>>): Promise<void> {
    for (const [user, value] of [
      ['ann', 3],
      ['bob', 2],
      ['cid', 2],
      ['dan', 1],
    ] as const)
      await league.play(user, value);
  }

  test('promotes the first of each group, also of a group of one', async () => {
    const league = await begin(LEAGUE);
    await playWeek(league);
    league.at(1);
    await league.chronicle.advance(league.engine.clock.now());
    expect(await resultsOf(league.chronicle)).toEqual([
      { run: '2026-10-05', user: 'ann', tier: 'bronze', rank: 1, outcome: 'promoted' },
      { run: '2026-10-05', user: 'bob', tier: 'bronze', rank: 2, outcome: 'stayed' },
      { run: '2026-10-05', user: 'cid', tier: 'bronze', rank: 3, outcome: 'stayed' },
      { run: '2026-10-05', user: 'dan', tier: 'bronze', rank: 1, outcome: 'promoted' },
    ]);
    const tiers = await Promise.all(['ann', 'bob', 'cid', 'dan'].map(league.tierOf));
    expect(tiers).toEqual(['silver in 1', 'bronze in 1', 'bronze in 1', 'silver in 1']);
    expect(await league.engine.rankingNames()).toEqual([]);
    const { tenant, redis, tenantCells } = league.engine;
    expect(await redis.exists(keys.league(tenant, tenantCells[0]!, 1, 20_731))).toBe(0);
  });

  test('is exact from the first event of the next run on, whether a worker has come or not', async () => {
    const league = await begin(LEAGUE);
    await playWeek(league);
    league.at(1);
    expect(await league.play('ann', 1)).toBe('silver/1');
    expect(await league.play('cid', 1)).toBe('bronze/1');
    await league.chronicle.advance(league.engine.clock.now());
    expect(await league.play('dan', 1)).toBe('silver/1');
    expect(await league.play('bob', 1)).toBe('bronze/1');
    expect((await resultsOf(league.chronicle)).map((row) => Object.values(row).join(' '))).toEqual([
      '2026-10-05 ann bronze 1 promoted',
      '2026-10-05 bob bronze 2 stayed',
      '2026-10-05 cid bronze 3 stayed',
      '2026-10-05 dan bronze 1 promoted',
    ]);
  });

  test('comes in the time zone of the tenant for everybody', async () => {
    const league = await begin(LEAGUE);
    league.at(0.999);
    const { engine } = league;
    const ahead = { id: 'ann', tz: 'Pacific/Kiritimati' };
    await engine.record('lessons', { user: ahead, value: 1 });
    league.at(1.001);
    const behind = { id: 'bob', tz: 'Etc/GMT+12' };
    await engine.record('lessons', { user: behind, value: 1 });
    expect((await engine.rankingNames()).sort()).toEqual(['1:20731:1:1,1:1', '1:20738:1:1,1:1']);
  });

  test('tells webhooks of users who changed their tier', async () => {
    const league = await begin(LEAGUE);
    await playWeek(league);
    const hook = { name: 'Hook', url: 'http://localhost:9', events: ['leaderboard.league_changed'] };
    const { pool, advance } = league.chronicle;
    const { redis, cells, tenant, clock } = league.engine;
    const context = { pool, redis, cells, tenant, actor: 'test', now: clock.now() };
    const file = { ...configOf(LEAGUE), webhooks: [hook] };
    await applyConfig(context, parseConfigFile(JSON.stringify(file), 'test'));
    league.at(1);
    await advance(clock.now());
    expect(
      await league.chronicle.query(
        'select user_id as user, facts from webhook_deliveries where tenant = $1 order by user_id',
      ),
    ).toEqual(
      ['ann', 'dan'].map((user) => ({
        user,
        facts: { board: 1, run: 20_731, from: 'bronze', to: 'silver', rank: 1 },
      })),
    );
  });
});

describe('a leader who is erased', () => {
  const erase = async ({ engine, chronicle }: Awaited<ReturnType<typeof begin>>, userId: string) => {
    const { pool } = chronicle;
    const { redis, cells, tenant, rulesStore, clock } = engine;
    const scripts = new Scripts(redis, cells);
    const user = { tenant, userId };
    await requestErasure({ pool, redis, cells }, user, { actor: 'test', now: clock.now() });
    expect(await carryOutErasure({ pool, redis, cells, scripts, rulesStore }, user, 10_000)).toBe(true);
  };
  const SCORES = { ann: 3, bob: 2, cid: 1 };

  test('after the end of a run keeps the ranks of the others', async () => {
    const league = await begin(LEAGUE);
    for (const [user, value] of Object.entries(SCORES)) await league.play(user, value);
    league.at(1);
    expect(await league.play('bob', 1)).toBe('bronze/1');
    await erase(league, 'ann');
    await league.chronicle.advance(league.engine.clock.now());
    expect((await resultsOf(league.chronicle)).map((row) => Object.values(row).slice(1).join(' '))).toEqual([
      'bob bronze 2 stayed',
      'cid bronze 3 stayed',
    ]);
  });

  test('in mid-run leaves the lead to the next one, and an empty seat', async () => {
    const league = await begin(LEAGUE);
    for (const [user, value] of Object.entries(SCORES)) await league.play(user, value);
    await erase(league, 'ann');
    expect(await league.play('dan', 5)).toBe('bronze/2');
    // A new user with the same id.
    expect(await league.play('ann', 1)).toBe('bronze/2');
    league.at(1);
    expect(await league.play('bob', 1)).toBe('silver/1');
    await league.chronicle.advance(league.engine.clock.now());
    expect((await resultsOf(league.chronicle)).map((row) => Object.values(row).slice(1).join(' '))).toEqual([
      'bob bronze 1 promoted',
      'cid bronze 2 stayed',
      'dan bronze 1 promoted',
      'ann bronze 2 stayed',
    ]);
  });
});

describe('an event that was prepared before the end of a run', () => {
  /** A server whose clock is late. */
  async function lateServer({ engine }: Awaited<ReturnType<typeof begin>>) {
    const clock = new TestClock();
    clock.set(Date.parse(START) + 0.999 * WEEK_MS);
    const parts = createParts({ redis: engine.redis, cells: engine.cells, clock });
    await parts.rulesStore.load(engine.tenant);
    const record = recordOn(parts, engine.tenant);
    return async (id: string, value: number) =>
      groupIn(engine, await record('lessons', { user: { id }, value }));
  }

  test('counts in the next run once an event has moved a user by the ranks of the former one', async () => {
    const league = await begin(LEAGUE);
    await league.play('ann', 3);
    await league.play('bob', 2);
    const playLate = await lateServer(league);
    expect(await playLate('bob', 0.5)).toBe('bronze/1');
    league.at(1);
    expect(await league.play('ann', 1)).toBe('silver/1');
    expect(await playLate('bob', 5)).toBe('bronze/1');
    expect(await playLate('cid', 1)).toBe('bronze/1');
    await league.chronicle.advance(league.engine.clock.now());
    expect((await resultsOf(league.chronicle)).map((row) => Object.values(row).join(' '))).toEqual([
      '2026-10-05 ann bronze 1 promoted',
      '2026-10-05 bob bronze 2 stayed',
    ]);
    const tiers = await Promise.all(['ann', 'bob', 'cid'].map(league.tierOf));
    expect(tiers).toEqual(['silver in 1', 'bronze in 1', 'bronze in 1']);
  });

  test.each([
    ['the next run', {}, ['bronze/1', 'silver/1'], ['1:20738:1:1,1:1', '1:20738:1:2,1:1']],
    ['no run if the league is over', { end: '2026-10-11' }, [null, null], []],
  ])('counts in %s once a worker has made the ranks final', async (_, more, found, rankings) => {
    const league = await begin(LEAGUE, more);
    await league.play('ann', 3);
    await league.play('bob', 2);
    const playLate = await lateServer(league);
    league.at(1);
    await league.chronicle.advance(league.engine.clock.now());
    expect([await playLate('zoe', 9), await playLate('ann', 1)]).toEqual(found);
    expect((await league.engine.rankingNames()).sort()).toEqual(rankings);
  });
});

describe('an event of the past', () => {
  const instant = (weeks: number): string => new Date(Date.parse(START) + weeks * WEEK_MS).toISOString();

  test('joins a group of the present run, into which it moves the user', async () => {
    const league = await begin(LEAGUE);
    await league.play('ann', 1);
    league.at(1.1);
    expect(await league.play('ann', 1, {}, instant(1.05))).toBe('silver/1');
    expect(await league.play('bob', 1, {}, instant(1.05))).toBe('bronze/1');
    expect(await league.play('ann', 1)).toBe('silver/1');
  });

  test('does not count if its run has ended, and attributes that come with it take effect', async () => {
    const league = await begin(LEAGUE, { breakdownAttributes: ['team'] });
    await league.play('ann', 1, { team: 'red' });
    league.at(1.1);
    expect(await league.play('ann', 5, { team: 'blue' }, instant(0.9))).toBe(null);
    expect(await league.play('bob', 5, { team: 'blue' }, instant(0.9))).toBe(null);
    expect(await league.play('ann', 2, {}, instant(1.05))).toBe('silver/1 blue');
    expect(await league.play('ann', 5, { team: 'red' }, instant(0.9))).toBe('silver/1 red');
    const keys = league.engine.rankingKeys('1:20738:1:2,1:1,3:red');
    const members = await Promise.all(
      keys.map((key) => league.engine.redis.zrange(key, '0', '-1', 'WITHSCORES')),
    );
    expect(members.flat().map((text) => text.slice(-3))).toEqual(['ann', '2']);
    expect((await league.engine.rankingNames()).sort()).toEqual([
      '1:20731:1:1,1:1,3:red',
      '1:20738:1:2,1:1,3:red',
    ]);
  });
});

describe('idle users', () => {
  // A group of one has a first and a last member, so ann goes down in gold.
  test.each([
    ['stay', 'silver'],
    ['demote', 'bronze'],
  ] as const)('%s: a year later', async (idle, tier) => {
    const league = await begin({ ...LEAGUE, idle });
    for (const week of [0, 1, 2]) {
      league.at(week + 0.1);
      await league.play('ann', 1);
      if (week === 1) await league.chronicle.advance(league.engine.clock.now());
    }
    expect(await league.tierOf('ann')).toBe('gold in 2');
    league.at(3);
    const others = league.play('bob', 1);
    await others;
    await league.chronicle.advance(league.engine.clock.now());
    league.at(5.5);
    if (idle === 'demote') {
      await league.chronicle.advance(league.engine.clock.now());
      expect(await league.tierOf('ann')).toBe('bronze in 4');
    }
    league.at(54.5);
    expect(await league.play('ann', 1)).toBe(`${tier}/1`);
  });
});

describe('a changed league', () => {
  test('gives users of a deleted tier to the next lower one, from the next run on', async () => {
    const league = await begin(LEAGUE);
    await league.play('ann', 2);
    await league.play('bob', 1);
    league.at(1.1);
    await league.play('ann', 1);
    await league.change({ ...LEAGUE, tiers: [LEAGUE.tiers[0]!, LEAGUE.tiers[2]!] });
    expect(await league.play('cid', 1)).toBe('bronze/1');
    expect(await league.play('ann', 1)).toBe('silver/1');
    await league.play('bob', 1);
    league.at(2);
    await league.chronicle.advance(league.engine.clock.now());
    // The first of bronze is promoted to silver, which bronze replaces by then.
    const tiers = await Promise.all(['ann', 'bob', 'cid'].map(league.tierOf));
    expect(tiers).toEqual(['gold in 2', 'bronze in 2', 'bronze in 2']);
  });

  test('has its new sizes with the next run', async () => {
    const league = await begin(LEAGUE);
    await league.play('ann', 1);
    await league.change({ ...LEAGUE, groupSize: 2, tiers: [{ key: 'bronze', name: 'Bronze' }] });
    const found = [];
    for (const user of ['bob', 'cid', 'dan']) found.push(await league.play(user, 1));
    expect(found).toEqual(['bronze/1', 'bronze/1', 'bronze/2']);
    league.at(1.1);
    for (const user of ['ann', 'bob', 'cid']) found.push(await league.play(user, 1));
    expect(found.slice(3)).toEqual(['bronze/1', 'bronze/1', 'bronze/2']);
  });

  test('cannot be added or removed once it has begun', async () => {
    const league = await begin(LEAGUE);
    await expect(league.change(null as never)).rejects.toThrow(/league/);
  });
});
