import type { Redis } from 'ioredis';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { cellsOf } from '../../src/base/cells.ts';
import { type Clock, monotonicMs, systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import type { FileLeaderboard } from '../../src/contract/configured/configFile.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { advanceLeaderboard } from '../../src/engine/leaderboards/leaderboardLife.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { waitForRelay } from '../../src/redis/state/relayProgress.ts';
import { localTime, runHolding, startOfLocalDay } from '../../src/rules/calendar.ts';
import { type Config, emptyConfig } from '../../src/rules/config.ts';
import { Relay } from '../../workers/relay/relay.ts';
import type { Bench } from '../bench.ts';
import { readBenchConfig } from '../benchConfig.ts';
import { median } from '../median.ts';
import type { Print } from '../report/report.ts';
import type { Measurements } from '../report/results.ts';
import { ROUNDS } from '../settings.ts';
import type { Study } from '../study.ts';
import { createRandom, WORKLOAD } from '../workload.ts';
import { readCpu } from './eventStores.ts';
import { prepareStores } from './prepare.ts';
import { CELLS, createRecorder, type Recorder } from './recorder.ts';

const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
/** Users recorded before the outbox is emptied, and events of a round. */
const EVENTS = 50_000;
const OTHER_TENANT = 2;
const SETTLED_MS_MAX = 600_000;

/** Five tiers, in which most users are new. */
const LEAGUE: FileLeaderboard = {
  key: 'league',
  name: 'League',
  rankBy: 'points',
  points: 'xp',
  runUnit: 'day',
  runInterval: 7,
  start: '2026-01-05',
  league: {
    groupSize: 30,
    tiers: [
      { key: 'bronze', name: 'Bronze', promote: 10 },
      { key: 'silver', name: 'Silver', promote: 10, demote: 5 },
      { key: 'gold', name: 'Gold', promote: 10, demote: 5 },
      { key: 'ruby', name: 'Ruby', promote: 10, demote: 5 },
      { key: 'pearl', name: 'Pearl', demote: 5 },
    ],
  },
};

export const league: Study = {
  name: 'league',
  measures:
    'events with a league and with one ranking in its place, its memory, and the end of a run of a million users',
  isDefault: false,
  measure: measureLeague,
};

/**
 * Two tenants with the same users and leaderboards. One of the leaderboards is a league in one tenant. In the
 * other tenant it is what a customer without leagues would have: the same runs, with one ranking for all.
 */
async function measureLeague(bench: Bench, print: Print): Promise<Measurements> {
  const pool = createPool(bench.databaseUrl, createLog('bench', 'warn'));
  const file = await readBenchConfig();
  const withLeague = { ...file, leaderboards: [...(file.leaderboards ?? []), LEAGUE] };
  const config = await prepareStores(pool, bench.redisUrl, JSON.stringify(withLeague));
  const { league: _, ...plain } = LEAGUE;
  const withPlain = { ...file, leaderboards: [...(file.leaderboards ?? []), plain] };
  const { config: other } = planConfig(emptyConfig(OTHER_TENANT), withPlain, systemClock.now());
  const without = await createRecorder(bench.redisUrl, { ...other, version: 1 });
  const drop = (): Promise<void> => bench.dropOutbox();
  const withoutBytes = await fill(bench, without, drop);
  const recorder = await createRecorder(bench.redisUrl, config);
  const relay = new Relay({
    pool,
    redis: recorder.redis,
    clock: systemClock,
    log: createLog('bench', 'warn'),
    cells: CELLS,
  });
  const relayed = async (): Promise<void> => {
    while ((await relay.runOnce()) > 0);
  };
  const withBytes = await fill(bench, recorder, relayed);
  const bytes = (withBytes - withoutBytes) / USERS;
  print(
    `${USERS} users. A league costs ${bytes.toFixed(0)} bytes of Redis memory a user more than the same leaderboard without groups, where only the first users have a place.\n`,
  );
  const tenants = [
    { ...without, empty: drop },
    { ...recorder, empty: relayed },
  ];
  const ratio = await compareEvents(bench, tenants, print);
  relay.start();
  const seconds = await endRun(recorder, pool, config);
  print(
    `\nThe end of the run was worked off in ${seconds.toFixed(1)} s, with all users settled before: all places and tiers were in PostgreSQL, and all users had moved.\n`,
  );
  for (const { redis } of [without, recorder]) redis.disconnect();
  await relay.stop();
  await pool.end();
  return { users: USERS, bytes, ratio, endOfRun_seconds: seconds };
}

/** Records an event of every user. @returns bytes of Redis memory that they take without the outbox */
async function fill(bench: Bench, { record }: Recorder, empty: () => Promise<void>): Promise<number> {
  const before = await usedMemory(bench.redis);
  for (let from = 0; from < USERS; from += EVENTS) {
    await record(Math.min(EVENTS, USERS - from), (i) => ({ user: from + i, key: null }));
    await empty();
  }
  return (await usedMemory(bench.redis)) - before;
}

async function usedMemory(redis: Redis): Promise<number> {
  const info = await redis.info('memory');
  return Number(/used_memory_dataset:(\d+)/.exec(info)![1]);
}

interface EventCost {
  perSecond: number;
  redis_us: number;
}

/** The tenants take turns; the medians of all rounds count. @returns events/s with a league, as a share */
async function compareEvents(
  bench: Bench,
  recorders: (Recorder & { empty(): Promise<void> })[],
  print: Print,
): Promise<number> {
  const random = createRandom(WORKLOAD.seed);
  const rounds: EventCost[][] = recorders.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, { record, empty }] of recorders.entries()) {
      const [before] = await readCpu([bench.redis]);
      const startMs = monotonicMs();
      await record(EVENTS, () => ({ user: Math.floor(random() * USERS), key: null }));
      const seconds = (monotonicMs() - startMs) / 1_000;
      const [after] = await readCpu([bench.redis]);
      rounds[i]!.push({ perSecond: EVENTS / seconds, redis_us: (after! - before!) / EVENTS });
      // Nobody relays the tenant that PostgreSQL does not have.
      await empty();
    }
  }
  const [without, withLeague] = rounds.map((of) => ({
    perSecond: median(of, ({ perSecond }) => perSecond).perSecond,
    redis_us: median(of, ({ redis_us }) => redis_us).redis_us,
  })) as [EventCost, EventCost];
  print('\n| full event | events/s | CPU µs of Redis |\n|---|---:|---:|\n');
  for (const [name, { perSecond, redis_us }] of [
    ['a leaderboard for all', without],
    ['a league', withLeague],
  ] as const)
    print(`| ${name} | ${Math.round(perSecond)} | ${redis_us.toFixed(1)} |\n`);
  const ratio = withLeague.perSecond / without.perSecond;
  print(`\nWith a league instead of the leaderboard for all, ${ratio.toFixed(2)} times as many events.\n`);
  return ratio;
}

/** What a worker does at the end of the run, once the users who are due then are settled. @returns seconds */
async function endRun({ redis }: Recorder, pool: Pool, config: Config): Promise<number> {
  const board = config.leaderboards.find(({ key }) => key === LEAGUE.key)!;
  const zone = config.settings.defaultTimeZone;
  const { end } = runHolding(board, localTime(zone, systemClock.now()).day)!;
  const over = startOfLocalDay(zone, end! + 1);
  const clock: Clock = { now: () => over };
  const { rulesStore, sweep, users } = createEngine({ redis, clock, cells: CELLS });
  await rulesStore.load(DEFAULT_TENANT);
  const scripts = new Scripts(redis, CELLS);
  const deps = { pool, redis, scripts, sweep, cells: CELLS, rulesStore, users };
  // Streaks are lost at that instant, too, which costs the same without a league.
  await sweep.settleDueOf(DEFAULT_TENANT, over);
  await waitForRelay(scripts, cellsOf(DEFAULT_TENANT, CELLS), SETTLED_MS_MAX);
  const startMs = monotonicMs();
  await advanceLeaderboard(deps, { tenant: DEFAULT_TENANT, leaderboard: board.no }, over);
  const seconds = (monotonicMs() - startMs) / 1_000;
  const moved = await pool.query(
    `select from leaderboard_runs where not is_in_redis having (select count(*) from league_members) = ${USERS}`,
  );
  if (moved.rowCount !== 1) throw new Error('the run was not processed');
  return seconds;
}
