import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { Cells } from '../../src/base/cells.ts';
import { createLog } from '../../src/base/log.ts';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import type { Guards } from '../../src/contract/guards.ts';
import { DEFAULT_TENANT, loadConfig } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import type { UserState } from '../../src/redis/decoding/userState.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import type { Config } from '../../src/rules/config.ts';
import { shownValue } from '../../src/rules/rankingOrder.ts';
import { lateConfig } from '../support/lateHistories.ts';
import { valueAtFirst } from '../support/model.ts';
import { dateOfRuns, localDate, ordinal, runStart } from '../support/modelCalendar.ts';
import { ModelReview, type ReviewStatus, type SentEvent } from '../support/modelReview.ts';
import { type ModelUser, userStateOf } from '../support/modelUser.ts';
import { Random, readSeed } from '../support/random.ts';
import { openRedis } from '../support/redisData.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

/**
 * Random events that guards hold, and random decisions about them, by a server with its stores. In the end
 * each user must be what the events that count make of one, each at its own instant (support/modelReview.ts).
 */
const CONFIGURATIONS = 3;
const STEPS = Number(process.env.LAUREL_HELD_STEPS ?? 300);
const SEED = readSeed('heldEvents.random', 20_261_123);
const START = '2026-11-18T12:00:00Z';
const HOUR_MS = 3_600_000;
const USERS = ['ann', 'bo', 'cy', 'dee', 'eli'];
const ZONES = [null, 'Asia/Kolkata', 'America/Los_Angeles'];

const STATUS = { recorded: 201, replayed: 202, held: 202, blocked: 403, refused: 422 };

type FileMetric = Omit<NonNullable<ConfigFile['metrics']>[number], 'guards'> & { guards: Guards };

for (let i = 0; i < CONFIGURATIONS; i++) {
  const seed = SEED + i;
  test(`held events count once, on their own day, seed ${seed}`, {
    timeout: 180_000 + 200 * STEPS,
  }, async () => {
    const random = new Random(seed);
    const file = lateConfig(random, START);
    const guarded = file.metrics!.map((metric) => ({ ...metric, guards: holding(random) }));
    const server = await startTestServer({ env: { LAUREL_CONFIG: 'none' } });
    const pool = createPool(server.databaseUrl, createLog('test', 'silent'));
    const redis = await openRedis(server.redisUrl);
    try {
      const { status, body } = await server.call('PUT', '/admin/v1/config', { ...file, metrics: guarded });
      expect([status, body.error]).toEqual([200, undefined]);
      await server.startRelay();
      const config = await loadConfig(pool, DEFAULT_TENANT);
      const cells = (await readCells(pool))!;
      const review = new Review(random, { server, pool, redis, config, cells, metrics: guarded });
      await review.run(Math.ceil(STEPS / CONFIGURATIONS));
    } finally {
      redis.disconnect();
      await pool.end();
      await server.stop();
    }
  });
}

function holding(random: Random): Guards {
  const maxValue = random.chance(0.6) && { maxValue: 2 };
  return {
    ...maxValue,
    ...(random.chance(0.5) && { cooldownSeconds: random.pick([3_600, 20_000]) }),
    limits: [
      ...random.some(
        [
          { per: 'hour', events: 1 },
          { per: 'day', value: 4 },
        ] as const,
        0.5,
      ),
      ...(maxValue ? [] : [{ per: 'day' as const, events: 1 }]),
    ],
    action: 'hold',
  };
}

interface Game {
  server: TestServer;
  pool: Pool;
  redis: Redis;
  config: Config;
  cells: Cells;
  /** As in the configuration file. */
  metrics: FileMetric[];
}

class Review {
  readonly #random: Random;
  readonly #game: Game;
  readonly #model: ModelReview;
  readonly #zones: Map<string, string | null>;
  #now = Date.parse(START);

  constructor(random: Random, game: Game) {
    this.#random = random;
    this.#game = game;
    this.#model = new ModelReview(game.config);
    this.#zones = new Map(USERS.map((user) => [user, random.pick(ZONES)]));
  }

  async run(steps: number): Promise<void> {
    const random = this.#random;
    await this.#advance(HOUR_MS);
    for (const user of USERS) await this.#begin(user);
    for (let step = 0; step < steps; step++) {
      const longest = random.weighted([
        [6, 0.2],
        [6, 4],
        [1, 30],
      ] as const);
      await this.#advance(random.int(1, longest * HOUR_MS));
      const user = random.pick(USERS);
      await random.weighted<() => Promise<void>>([
        [60, () => this.#send(user)],
        [14, () => this.#decide('approve')],
        [5, () => this.#decide('reject')],
        [4, () => this.#decideByFilter(random.pick(['approve', 'reject'] as const))],
        [8, () => this.#race()],
        [3, () => this.#setAction()],
        [4, () => this.#block(user, !this.#model.isBlocked(user))],
        [1, () => this.#erase(user)],
      ])();
    }
    for (const user of USERS) if (this.#model.isBlocked(user)) await this.#block(user, false);
    await this.#compare();
  }

  async #call(method: string, path: string, body: unknown, status = 200): Promise<Reply['body']> {
    const reply = await this.#game.server.call(method, path, body);
    expect(reply.status, `${method} ${path} ${JSON.stringify([body, reply.body])}`).toBe(status);
    return reply.body;
  }

  async #advance(ms: number): Promise<void> {
    this.#now += ms;
    const now = new Date(this.#now).toISOString();
    await this.#call('POST', '/admin/v1/test-clock', { now, stopped: true });
  }

  /** Lets the guards of a metric hold events, or refuse them. */
  async #setAction(): Promise<void> {
    const metric = this.#random.pick(this.#game.metrics);
    const action = this.#random.pick(['hold', 'refuse'] as const);
    metric.guards = { ...metric.guards, action };
    await this.#call('PUT', '/admin/v1/config', { metrics: [metric] });
    this.#model.setAction(metric.key, action);
  }

  async #begin(userId: string): Promise<void> {
    const tz = this.#zones.get(userId)!;
    this.#model.begin(userId, tz, this.#now);
    if (tz !== null) await this.#call('PUT', `/v1/users/${userId}`, { tz });
  }

  async #send(userId: string): Promise<void> {
    const random = this.#random;
    const event: SentEvent = {
      userId,
      metric: random.pick(this.#game.config.metrics).key,
      value: random.int(1, 3),
      attributes: random.chance(0.5) ? { device: random.pick(['phone', 'tablet']) } : {},
      timestamp: random.chance(0.2) ? this.#now - random.int(1, 60 * HOUR_MS) : null,
      idempotencyKey: random.chance(0.3) ? `key-${random.int(1, 30)}` : null,
    };
    const expected = this.#model.send(event, this.#now);
    const { metric, userId: id, timestamp, idempotencyKey, ...rest } = event;
    const body = {
      user: { id },
      ...rest,
      ...(timestamp !== null && { timestamp: new Date(timestamp).toISOString() }),
      ...(idempotencyKey !== null && { idempotencyKey }),
    };
    const status = typeof expected === 'object' ? 202 : STATUS[expected];
    const answer = await this.#call('POST', `/v1/metrics/${metric}/event`, body, status);
    expect(answer.held === true).toBe(expected === 'held' || typeof expected === 'object');
    if (expected === 'held') {
      expect(this.#model.held.has(answer.eventId)).toBe(false);
      this.#model.hold(answer.eventId, event, this.#now);
    } else if (typeof expected === 'object') expect(answer.eventId).toBe(expected.heldAs);
  }

  /** Some events, most of which wait. */
  #pickHeld(): string[] {
    const random = this.#random;
    const all = [...this.#model.held];
    if (all.length === 0) return [];
    const waiting = all.filter(([, { status }]) => status === 'held');
    const from = waiting.length > 0 && random.chance(0.8) ? waiting : all;
    return Array.from({ length: random.int(1, 4) }, () => random.pick(from)[0]);
  }

  #ask(verb: 'approve' | 'reject', ids: readonly string[]): Promise<Reply> {
    return this.#game.server.call('POST', `/admin/v1/held-events/${verb}`, { ids, reason: 'A test' });
  }

  async #decide(verb: 'approve' | 'reject'): Promise<void> {
    const ids = this.#pickHeld();
    if (ids.length === 0) return;
    const status = verb === 'approve' ? 'approved' : 'rejected';
    const expected = ids.map((id) => ({ id, status: this.#model.decide(id, status) }));
    const calls = this.#random.int(1, 2);
    for (const { status, body } of await Promise.all(
      Array.from({ length: calls }, () => this.#ask(verb, ids)),
    )) {
      expect(status).toBe(200);
      expect(body.events.map(({ error, ...event }: Reply['body']) => event)).toEqual(expected);
    }
  }

  /** Decides on all waiting events that match, after a summary of them. */
  async #decideByFilter(verb: 'approve' | 'reject'): Promise<void> {
    const random = this.#random;
    const filter = {
      ...(random.chance(0.5) && { user: random.pick(USERS) }),
      ...(random.chance(0.5) && { metric: random.pick(this.#game.config.metrics).key }),
      ...(random.chance(0.5) && { minValue: 2 }),
      maxValue: random.int(1, 3),
    };
    const { user, metric, minValue = 0, maxValue } = filter;
    const matching = [...this.#model.held].filter(([, { status, event }]) => {
      const isAsked = (user ?? event.userId) === event.userId && (metric ?? event.metric) === event.metric;
      return status === 'held' && isAsked && event.value >= minValue && event.value <= maxValue;
    });
    const query = Object.entries(filter)
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const summary = await this.#call('GET', `/admin/v1/held-events/summary?${query}`, undefined);
    expect([summary.events, summary.users]).toEqual([
      matching.length,
      new Set(matching.map(([, { event }]) => event.userId)).size,
    ]);
    for (const { metric: key, ...sums } of summary.metrics) {
      const values = matching.flatMap(([, { event }]) => (event.metric === key ? event.value : []));
      const [lowest, highest] = [Math.min(...values), Math.max(...values)];
      const sum = values.reduce((total, value) => total + value, 0);
      expect(sums).toEqual({ events: values.length, sum, lowest, highest });
    }
    const status = verb === 'approve' ? 'approved' : 'rejected';
    const expected = matching.map(([id]) => ({ id, status: this.#model.decide(id, status) }));
    const body = { filter: { ...filter, ...(summary.until && { until: summary.until }) }, reason: 'A test' };
    const { events, cursor } = await this.#call('POST', `/admin/v1/held-events/${verb}`, body);
    expect(cursor).toBeNull();
    expect(events.map(({ error, ...event }: Reply['body']) => event)).toEqual(expected);
  }

  /** An approval, and at once something that contradicts it. The first wins, whichever that is. */
  async #race(): Promise<void> {
    const ids = this.#pickHeld();
    if (ids.length === 0) return;
    const { userId } = this.#model.held.get(ids[0]!)!.event;
    const kind = this.#random.pick(['reject', 'reject', 'reject', 'block', 'block', 'erase'] as const);
    if (kind === 'block' && (this.#model.isBlocked(userId) || !this.#model.isKnown(userId))) return;
    const other = {
      reject: () => this.#ask('reject', ids),
      block: () => this.#block(userId, true),
      erase: () => this.#erase(userId),
    };
    const [approval] = await Promise.all([this.#ask('approve', ids), other[kind]()]);
    expect(approval.status === 200 || (approval.status === 503 && kind === 'erase')).toBe(true);
    if (kind === 'block') this.#model.block(userId, false);
    // What an erasure interrupted is approved by the repeated call.
    if (approval.status === 503) await this.#ask('approve', ids);
    for (const [id, status] of await this.#statuses(ids)) expect(this.#model.decide(id, status)).toBe(status);
    if (kind === 'block') this.#model.block(userId, true);
  }

  async #statuses(ids: readonly string[]): Promise<Map<string, ReviewStatus>> {
    const { rows } = await this.#game.pool.query(
      'select event_id as id, status from held_events where event_id = any($1)',
      [ids],
    );
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  async #block(userId: string, isBlocked: boolean): Promise<void> {
    if (!this.#model.isKnown(userId)) return;
    this.#model.block(userId, isBlocked);
    const path = `/admin/v1/users/${userId}/block`;
    await this.#call(isBlocked ? 'POST' : 'DELETE', path, isBlocked ? { reason: 'A test' } : undefined);
  }

  async #erase(userId: string): Promise<void> {
    const events = [...this.#model.held.values()].map(({ event }) => event);
    const isStored = this.#model.isKnown(userId) || events.some((event) => event.userId === userId);
    this.#model.erase(userId, null, this.#now);
    await this.#call('DELETE', `/admin/v1/users/${userId}`, undefined, isStored ? 200 : 404);
    await this.#call('GET', `/v1/users/${userId}`, undefined, 404);
    await this.#begin(userId);
  }

  async #compare(): Promise<void> {
    const { pool, redis, cells, config } = this.#game;
    expect(await this.#statuses([...this.#model.held.keys()])).toEqual(
      new Map([...this.#model.held].map(([id, { status }]) => [id, status])),
    );
    expect(this.#model.approvals).toBeGreaterThan(0);
    for (const userId of USERS) {
      const should = this.#model.evaluate(userId, this.#now);
      await this.#call('GET', `/v1/users/${userId}/points/units?awards=1`, undefined, should ? 200 : 404);
      const state = await readUserState(redis, cells, { tenant: DEFAULT_TENANT, userId });
      if (should === undefined || state === null) {
        expect([userId, state]).toEqual([userId, should ?? null]);
        continue;
      }
      const expected = { ...userStateOf(should, config), boards: expectedScores(config, should, this.#now) };
      expect({ userId, ...comparable(config, state, scores(config, state, should, this.#now)) }).toEqual({
        userId,
        ...comparable(config, expected, expected.boards),
      });
      const { rows } = await pool.query('select event_id from event_history where user_id = $1', [userId]);
      expect(rows).toHaveLength(this.#model.countOf(userId));
    }
  }
}

/** What does not depend on the order in which events arrived. */
function comparable(
  { streak: { frequency } }: Config,
  {
    counters,
    points,
    achievements,
    freezes,
    streaks,
  }: Pick<UserState, 'counters' | 'points' | 'achievements' | 'freezes' | 'streaks'>,
  boards: unknown,
) {
  const { length, lastPeriod } = streaks[frequency];
  return {
    counters,
    points,
    achievements: [...achievements.keys()].sort(),
    freezes,
    streak: length === 0 ? 0 : [length, lastPeriod],
    boards,
  };
}

/** Scores of a user in current runs, by leaderboard. */
function expectedScores(config: Config, user: ModelUser, now: number): Record<string, number | null> {
  return Object.fromEntries(
    config.leaderboards.map((board) => {
      const first = runStart(board, dateOfRuns(board, localDate(user.tz ?? 'UTC', now), now))!;
      const has = user.boards.get(board.id);
      return [board.key, has !== undefined && has.run >= first ? has.value : valueAtFirst(board)];
    }),
  );
}

function scores(
  config: Config,
  state: UserState,
  user: ModelUser,
  now: number,
): Record<string, number | null> {
  return Object.fromEntries(
    config.leaderboards.map((board) => {
      const first = ordinal(
        'daily',
        runStart(board, dateOfRuns(board, localDate(user.tz ?? 'UTC', now), now))!,
      );
      const has = state.boards.get(board.no);
      return [board.key, has && has.run >= first ? shownValue(board, has.score) : valueAtFirst(board)];
    }),
  );
}
