import type { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import type { Cells } from '../../src/base/cells.ts';
import { noProgress } from '../../src/base/progress.ts';
import { restore } from '../../src/commands/restore/restore.ts';
import type { LeagueInput } from '../../src/contract/leagues.ts';
import { fixCells } from '../../src/db/installation.ts';
import { createEngine as createParts } from '../../src/engine/engine.ts';
import { carryOutErasure, requestErasure } from '../../src/engine/erasure/eraseUser.ts';
import { finalizeRun } from '../../src/engine/leaderboards/finalizeRun.ts';
import { advanceLeaderboard } from '../../src/engine/leaderboards/leaderboardLife.ts';
import { foldRelayedStates } from '../../src/engine/recovery/foldSnapshots.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { waitForRelay } from '../../src/redis/state/relayProgress.ts';
import { findTier } from '../../src/rules/leagueTiers.ts';
import { type Chronicle, createChronicle } from '../support/chronicle.ts';
import { createEngine, type Engine, recordOn } from '../support/engine.ts';
import { item, items, metricBoard, WEEKLY } from '../support/items.ts';
import { OutboxKeyUses } from '../support/outboxKeyUses.ts';
import { allKeys } from '../support/redisData.ts';
import { WAIT_MS } from '../support/until.ts';

/** Groups and tiers of a league after a restore of Redis, at every stage of a run. */

const START = '2026-10-05T00:00:00Z';
const FIRST_DAY = 20_731;
const WEEK_MS = 7 * 86_400_000;
const COUNT = 8;
const LEAGUE: LeagueInput = {
  groupSize: 3,
  tiers: [
    item('bronze', { promote: 1 }),
    item('silver', { promote: 1, demote: 1 }),
    item('gold', { demote: 1 }),
  ],
};
/** Takes the first three users of a group to silver. */
const FAST: LeagueInput = {
  ...LEAGUE,
  tiers: [item('bronze', { promote: 3 }), ...LEAGUE.tiers.slice(1)],
};

const configOf = (league: LeagueInput) => ({
  metrics: items('lessons'),
  leaderboards: [metricBoard('league', { ...WEEKLY, start: '2026-10-05', league })],
});

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** An installation with a league, whose Redis can be restored. */
class Installation {
  readonly #engine: Engine;
  readonly chronicle: Chronicle;
  record: Engine['record'];
  advance: (now: number) => Promise<void>;
  cells: Cells;

  constructor(engine: Engine, chronicle: Chronicle) {
    this.#engine = engine;
    this.chronicle = chronicle;
    this.record = engine.record;
    this.advance = chronicle.advance;
    this.cells = engine.cells;
  }

  at(weeks: number): void {
    this.#engine.clock.set(Date.parse(START) + weeks * WEEK_MS);
  }

  /** Records scores of users. */
  async play(scores: Record<string, number>): Promise<void> {
    for (const [id, value] of Object.entries(scores)) await this.record('lessons', { user: { id }, value });
  }

  /** Does everything that is due. */
  advanceToNow(): Promise<void> {
    return this.advance(this.#engine.clock.now());
  }

  /** Makes a run final; its users stay in it. */
  async finalize(week: number): Promise<void> {
    await this.#isRelayed();
    const { redis, tenant, clock } = this.#engine;
    const stores = { pool: this.chronicle.pool, redis, cells: this.cells };
    const [board] = this.#engine.rules().config.leaderboards;
    const start = FIRST_DAY + 7 * week;
    await finalizeRun(stores, { tenant, leaderboard: 1 }, board!, { start, end: start + 6 }, clock.now());
  }

  async erase(userId: string): Promise<void> {
    const { redis, tenant, clock, rulesStore } = this.#engine;
    const stores = { pool: this.chronicle.pool, redis, cells: this.cells };
    const user = { tenant, userId };
    await requestErasure(stores, user, { actor: 'test', now: clock.now() });
    const scripts = new Scripts(redis, this.cells);
    expect(await carryOutErasure({ ...stores, scripts, rulesStore }, user, WAIT_MS)).toBe(true);
  }

  /** @param spread number of cells of a tenant from now on */
  async restore(spread = this.cells.spread): Promise<void> {
    await this.#isRelayed();
    const { pool } = this.chronicle;
    const { redis, clock } = this.#engine;
    await foldRelayedStates(pool, { wait: true });
    await fixCells(pool, { cells: this.cells.count, spread: this.cells.spread });
    const options = { pool, redis, now: clock.now(), progress: noProgress, replace: true, testClock: false };
    await restore({ ...options, spread });
  }

  /** Restores to another number of cells, with which everything goes on. */
  async spreadOver(spread: number): Promise<void> {
    await this.#isRelayed();
    const { pool, withoutRelay } = this.chronicle;
    const { redis, clock, tenant } = this.#engine;
    const cells = { count: this.cells.count, spread };
    await withoutRelay(cells, () => this.restore(spread));
    this.cells = cells;
    const keyUses = new OutboxKeyUses(redis, cells);
    const parts = createParts({ redis, clock, cells, keyUses });
    await parts.rulesStore.load(tenant);
    this.record = recordOn(parts, tenant);
    const { sweep, rulesStore, users } = parts;
    const deps = { pool, redis, scripts: new Scripts(redis, cells), sweep, cells, rulesStore, users };
    this.advance = (now) => advanceLeaderboard(deps, { tenant, leaderboard: 1 }, now);
  }

  /** Subscribes to the channels of servers and workers in another database of the same Redis. */
  async subscribeElsewhere(): Promise<Redis> {
    const other = this.#engine.redis.duplicate({ db: 0, enableOfflineQueue: true });
    await other.subscribe(keys.published, keys.awaited);
    return other;
  }

  /** Members of all rankings, by the names of their keys. */
  async rankings(): Promise<Record<string, string[]>> {
    const { redis } = this.#engine;
    const found: Record<string, string[]> = {};
    for (const key of (await allKeys(redis, '*:lb:*')).sort())
      found[key] = await redis.zrange(key, '0', '-1');
    return found;
  }

  /** The tier of a user in Redis, with the number of its run: `silver in 1`. */
  async tierOf(userId: string): Promise<string> {
    const { redis, tenant } = this.#engine;
    const state = (await readUserState(redis, this.cells, { tenant, userId }))!.leagues.get(1)!;
    const [board] = this.#engine.rules().config.leaderboards;
    return `${findTier(board!.league!, state.tier)!.key} in ${state.run}`;
  }

  tiersOf(...userIds: string[]): Promise<string[]> {
    return Promise.all(userIds.map((id) => this.tierOf(id)));
  }

  #isRelayed(): Promise<void> {
    const { redis } = this.#engine;
    const all = Array.from({ length: COUNT }, (_, cell) => cell);
    return waitForRelay(new Scripts(redis, this.cells), all, WAIT_MS);
  }
}

async function begin(league: LeagueInput, spread = 1): Promise<Installation> {
  const engine = await createEngine(configOf(league), START, { count: COUNT, spread });
  ends.push(() => engine.close());
  const chronicle = await createChronicle(engine, configOf(league));
  ends.push(() => chronicle.close());
  const installation = new Installation(engine, chronicle);
  installation.at(0.1);
  return installation;
}

test('a restore in mid-run keeps groups, and a new user takes the next seat', async () => {
  const league = await begin(LEAGUE);
  await league.play({ ann: 3, bob: 2, cid: 2, dan: 1 });
  const before = await league.rankings();
  await league.restore();
  expect(await league.rankings()).toEqual(before);
  await league.play({ eve: 1, fay: 1, gus: 1, ann: 1 });
  expect(Object.values(await league.rankings()).map((members) => members.map((id) => id.slice(-3)))).toEqual([
    ['cid', 'bob', 'ann'],
    ['fay', 'eve', 'dan'],
    ['gus'],
  ]);
});

test('a restore after the end of a run, before a worker has come, keeps what users are due', async () => {
  const league = await begin(LEAGUE);
  await league.play({ ann: 3, bob: 2, cid: 2, dan: 1 });
  league.at(1);
  await league.play({ bob: 1, dan: 1 });
  await league.restore();
  await league.play({ cid: 1 });
  await league.advanceToNow();
  expect(await league.tiersOf('ann', 'bob', 'cid', 'dan')).toEqual([
    'silver in 1',
    'bronze in 1',
    'bronze in 1',
    'silver in 1',
  ]);
});

test.each([
  ['ann', ['bob', 'cid'], ['silver in 2', 'bronze in 2']],
  ['bob', ['ann', 'cid'], ['gold in 2', 'bronze in 2']],
  ['cid', ['ann', 'bob'], ['gold in 2', 'silver in 2']],
])(
  'a restore of a final run with the place of %s, who was erased, moves the others by their ranks',
  async (erased, others, tiers) => {
    const league = await begin(FAST);
    await league.play({ ann: 1, bob: 1, cid: 1 });
    league.at(1);
    await league.advanceToNow();
    await league.play({ ann: 3, bob: 2, cid: 1 });
    league.at(2);
    await league.erase(erased);
    await league.finalize(1);
    await league.restore();
    await league.play({ [others[1]!]: 1 });
    await league.advanceToNow();
    expect(await league.tiersOf(...others)).toEqual(tiers);
  },
);

test.each([
  [1, 4],
  [4, 1],
  [2, 8],
])(
  'a restore from spread %i to %i keeps groups within their size, and the end of the run moves every user',
  async (from, to) => {
    const league = await begin(LEAGUE);
    if (from > 1) await league.spreadOver(from);
    const users = Array.from({ length: 16 }, (_, i) => `user-${i}`);
    const scores = (ids: string[]) => Object.fromEntries(ids.map((id, i) => [id, i + 1]));
    await league.play(scores(users.slice(0, 10)));
    await league.spreadOver(to);
    await league.play(scores(users));
    const rankings = Object.values(await league.rankings());
    expect(Math.max(...rankings.map((members) => members.length))).toBeLessThanOrEqual(3);
    expect(rankings.flat().length).toBe(users.length);
    league.at(1);
    await league.play({ 'user-2': 1, 'user-9': 1, 'user-12': 1 });
    await league.advanceToNow();
    const inHistory = await league.chronicle.query<{ user: string; tier: string }>(
      'select user_id as user, tier from league_members where tenant = $1',
    );
    expect(inHistory.length).toBe(users.length);
    for (const { user, tier } of inHistory)
      expect([user, await league.tierOf(user)]).toEqual([user, `${tier} in 1`]);
    const promoted = inHistory.filter(({ tier }) => tier === 'silver');
    expect(promoted.length).toBe(rankings.length);
  },
);

test('a process that uses another database of Redis does not prevent a restore to another number of cells', async () => {
  const league = await begin(LEAGUE);
  await league.play({ ann: 1 });
  const other = await league.subscribeElsewhere();
  await league.spreadOver(4);
  other.disconnect();
  await league.play({ ann: 1 });
  expect(await league.tierOf('ann')).toBe('bronze in 0');
});
