import { afterAll, beforeAll, expect, test } from 'vitest';
import { AdjustableClock } from '../../src/base/clock.ts';
import { SharedClock } from '../../src/redis/state/sharedClock.ts';
import { type ExtraRole, startExtraRole } from '../support/chaos/extraRole.ts';
import { items, metricBoard, WEEKLY, xp } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import { allKeys } from '../support/redisData.ts';
import { restoreServer } from '../support/restoreServer.ts';
import {
  SeasonModel,
  type SeasonPlace,
  type SeasonReward,
  type SeasonSettings,
} from '../support/season/seasonModel.ts';
import type { Reply } from '../support/server.ts';
import { until } from '../support/until.ts';
import { useServer } from '../support/useServer.ts';

/**
 * Four months of a league against a plain program: users of five tiers play by the test clock, and workers
 * are killed with -9 while they end runs. Settings change, users are erased, opt out and change their
 * attributes, and Redis is restored between the end of a run and the moves of its users.
 */
const SEED = readSeed('leagueSeason', 20_261_123);
const USERS = Number(process.env.LAUREL_SEASON_USERS ?? 300);
const WEEKS = Number(process.env.LAUREL_SEASON_WEEKS ?? 17);
const DAY_MS = 86_400_000;
/** A Monday, the first day of the league, in the middle of the tenant's morning. */
const START = Date.parse('2031-08-04T06:00:00Z');
/** Midnights of the tenant's zone, before and after its clocks go back. */
const ZONE = 'Europe/Berlin';
const endOf = (week: number): number => {
  const midnight = Date.parse('2031-08-04T00:00:00Z') + 7 * (week + 1) * DAY_MS;
  return midnight - (midnight < Date.parse('2031-10-26T00:00:00Z') ? 2 : 1) * 3_600_000;
};
/** Runs at whose ends workers are killed, and one at whose end Redis is restored. */
const KILLS = [1, 6, 10];
const RESTORE = Math.floor(WEEKS / 2);
const BATCH = 1_000;
/** Workers whose jobs were left by killed ones come to them by then. */
const MOVED_MS_MAX = 300_000;
const TEAMS = ['red', 'blue'];

const tiersOf = (...sizes: [key: string, promote: number, demote: number][]): SeasonSettings['tiers'] =>
  sizes.map(([key, promote, demote], i) => ({
    key,
    name: key,
    ...(i < sizes.length - 1 && { promote }),
    ...(i > 0 && { demote }),
  }));
const FIVE = tiersOf(['bronze', 10, 0], ['silver', 7, 5], ['gold', 7, 5], ['ruby', 5, 5], ['pearl', 0, 8]);
/** Settings by the run in which they are configured. */
const SETTINGS: Record<number, SeasonSettings> = {
  0: { groupSize: 30, idle: 'stay', tiers: FIVE },
  3: {
    groupSize: 12,
    idle: 'stay',
    tiers: FIVE.map((tier) => ({ ...tier, ...(tier.promote && { promote: 4 }) })),
  },
  5: { groupSize: 20, idle: 'demote', tiers: FIVE },
  // Without gold.
  9: { groupSize: 20, idle: 'demote', tiers: FIVE.filter(({ key }) => key !== 'gold') },
  // Gold is back, behind a new tier.
  13: {
    groupSize: 25,
    idle: 'stay',
    tiers: tiersOf(
      ['bronze', 9, 0],
      ['silver', 9, 9],
      ['gold', 9, 9],
      ['jade', 9, 9],
      ['ruby', 9, 9],
      ['pearl', 0, 9],
    ),
  },
};
const REWARDS: SeasonReward[] = [
  { from: 1, to: 3, points: { system: 'xp', amount: 1 } },
  { promoted: true, points: { system: 'xp', amount: 100 } },
  { tier: 'silver', promoted: true, points: { system: 'xp', amount: 10_000 } },
  { tier: 'pearl', from: 1, to: 1, points: { system: 'xp', amount: 1_000_000 } },
];

const configOf = (league: SeasonSettings) => ({
  settings: { defaultTimeZone: ZONE },
  attributes: { user: items('team') },
  metrics: items('lessons'),
  points: [xp([])],
  leaderboards: [
    metricBoard('league', {
      breakdownAttributes: ['team'],
      start: '2031-08-04',
      ...WEEKLY,
      rewards: REWARDS,
      league,
    }),
  ],
});

const server = useServer({ config: 'none', env: { LAUREL_CELLS: '2', LAUREL_SPREAD: '1' } });
let clock: SharedClock;
let env: Record<string, string>;
let workers: ExtraRole[] = [];
beforeAll(async () => {
  clock = new SharedClock(new AdjustableClock(), server.redis);
  await clock.follow();
  env = { REDIS_URL: server.redisUrl, DATABASE_URL: server.databaseUrl, LOG_LEVEL: 'silent' };
});
afterAll(async () => {
  await stopWorkers();
  clock?.close();
});

async function startWorkers(): Promise<void> {
  workers = await Promise.all([startExtraRole('worker', env), startExtraRole('worker', env)]);
}

async function stopWorkers(): Promise<void> {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
}

/** Moves the clock alone, so that workers do what is due, not the server. */
async function moveTo(instant: number): Promise<void> {
  await clock.moveTo(instant, false);
  await until(() => server.clock.now() >= instant);
}

async function admin(method: string, path: string, body?: unknown): Promise<void> {
  // A read of the history is refused while killed workers are replaced.
  const reply = (await until(async () => {
    const { status, ...rest } = await server.call(method, path, body);
    return status !== 503 && { status, ...rest };
  }, MOVED_MS_MAX)) as Reply;
  expect([path, reply.status < 300, reply.body]).toEqual([path, true, reply.body]);
}

const userId = (i: number): string => `user-${i}`;

/** Draws what users do, and does it to the service and the model alike. */
class Season {
  readonly model = new SeasonModel(SETTINGS[0]!, REWARDS);
  readonly #random = new Random(SEED);
  readonly #teams = Array.from({ length: USERS }, () => this.#random.pick(TEAMS));
  kills = 0;

  /** A part of the events of a week: of each user by the share of weeks in which the user plays. */
  async play(share: number): Promise<void> {
    const random = this.#random;
    const events: { userId: string; value: number; team: string }[] = [];
    for (let i = 0; i < USERS; i++) {
      if (!random.chance(share * [1, 0.7, 0.3, 0.05][i % 4]!)) continue;
      if (random.chance(0.02)) this.#teams[i] = random.pick(TEAMS);
      const value = random.chance(0.04) ? -random.int(1, 9) : random.int(0, 12);
      events.push({ userId: userId(i), value, team: this.#teams[i]! });
    }
    // The events of a batch are recorded in the order of the ids of users.
    events.sort((a, b) => (a.userId < b.userId ? -1 : 1));
    for (let at = 0; at < events.length; at += BATCH) {
      const batch = events.slice(at, at + BATCH).map(({ userId: id, value, team }) => ({
        key: 'lessons',
        user: { id, attributes: { team } },
        value,
      }));
      const send = () => server.call('POST', '/admin/v1/metrics/events', batch);
      const { status, body } = await send();
      expect([status, body]).toEqual([202, { accepted: batch.length, refused: [] }]);
    }
    for (const { userId: id, value, team } of events) this.model.record(id, value, team);
  }

  /** Some users opt out, return, or are erased: one who leads a group among them. */
  async meddle(): Promise<void> {
    const { model } = this;
    for (const id of this.#random.some([...model.members.keys()], 4 / USERS)) {
      const isVisible = !model.members.get(id)!.isVisible;
      await admin('PATCH', `/v1/users/${id}/preferences`, { leaderboards: { visible: isVisible } });
      model.show(id, isVisible);
    }
    const [leader] = this.#random.pick([...model.groups().values()])[0]!;
    for (const id of new Set([leader, this.#random.pick([...model.members.keys()])])) {
      await until(async () => (await server.call('DELETE', `/admin/v1/users/${id}`)).status === 200);
      model.erase(id);
    }
  }

  /** The end of a run, beside which users go on to play. */
  async end(week: number): Promise<void> {
    const random = this.#random;
    const isRestored = week === RESTORE;
    if (isRestored) await stopWorkers();
    await moveTo(endOf(week) + 10_000);
    this.model.endRun();
    const playing = this.play(0.2);
    if (isRestored) {
      await playing;
      await restoreServer(server);
      this.model.restore();
      // The clock was lost with Redis.
      await moveTo(endOf(week) + 10_000);
      await startWorkers();
    } else if (KILLS.includes(week)) {
      const isFinal = `select from leaderboard_runs having count(*) > ${week}`;
      await until(async () => (await server.pool.query(isFinal)).rowCount === 1, MOVED_MS_MAX);
      // During the moves, or the rewards.
      await new Promise((resolve) => setTimeout(resolve, random.int(0, 150)));
      const { rowCount } = await server.pool.query('select from leaderboard_runs where is_in_redis');
      this.kills += rowCount!;
      await Promise.all(workers.map((worker) => worker.kill()));
    }
    await playing;
    await until(async () => {
      const { rows } = await server.pool.query(
        `select (select count(*)::int from leaderboard_runs where not is_in_redis) as moved,
           (select count(*)::int from leaderboard_runs) as final, (select count(*)::int from due_rewards) as due`,
      );
      expect(rows).toEqual([{ moved: week + 1, final: week + 1, due: 0 }]);
      return true;
    }, MOVED_MS_MAX);
  }
}

async function comparePlaces({ model }: Season, week: number): Promise<void> {
  const { rows } = await server.pool.query(
    `select ranking_group as group, tier, rank, user_id as "userId", value, outcome from leaderboard_places
     where run_start = date '2031-08-04' + 7 * $1::integer`,
    [week],
  );
  const shown = (places: SeasonPlace[]): string[] =>
    places.map(({ group, tier, rank, userId: id, value, outcome }) =>
      [group, tier, String(rank).padStart(3), id, value, outcome].join(' '),
    );
  expect([week, shown(rows).sort()]).toEqual([week, shown(model.runs[week]!).sort()]);
}

async function compareUsers({ model }: Season): Promise<void> {
  const groups = new Map(
    [...model.groups().values()].flatMap((ranked) => ranked.map(([id], i) => [id, i + 1] as const)),
  );
  for (const [id, member] of model.members) {
    const { body } = await server.call('GET', `/v1/users/${id}/leaderboards/league`);
    const points = await server.call('GET', `/v1/users/${id}/points/xp`);
    const found = { tier: body.tier?.key, rank: body.rank, points: points.body.total };
    const tier = member.tier ?? 'bronze';
    expect([id, found]).toEqual([id, { tier, rank: groups.get(id) ?? null, points: member.points }]);
  }
}

test('a season equals that of a plain program', { timeout: 2_400_000 }, async () => {
  const season = new Season();
  await moveTo(START);
  await admin('PUT', '/admin/v1/config', configOf(SETTINGS[0]!));
  await server.startRelay();
  await startWorkers();
  await season.play(0.8);
  for (let week = 0; week < WEEKS; week++) {
    await moveTo(endOf(week) - 4 * DAY_MS);
    const settings = SETTINGS[week];
    if (settings && week > 0) {
      await admin('PUT', '/admin/v1/config', configOf(settings));
      season.model.change(settings);
    }
    await season.play(0.8);
    await season.meddle();
    await moveTo(endOf(week) - 3_600_000);
    await season.play(0.3);
    await season.end(week);
    await comparePlaces(season, week);
    if (week % 9 === 8) await compareUsers(season);
  }
  await compareUsers(season);
  const [{ users }] = (await server.pool.query('select count(*)::int as users from league_members')).rows;
  expect(users).toBeGreaterThan(USERS / 2);
  expect(await allKeys(server.redis, `*:lb:1:*`)).toHaveLength(season.model.groups().size);
  console.log(`leagueSeason: ${season.kills} of ${KILLS.length} kills found users to move`);
});
