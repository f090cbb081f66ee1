import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cells, cellOf } from '../../src/base/cells.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { readKeptHistory } from '../../src/redis/decoding/keptHistory.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { type Importing, useImports } from '../support/importing.ts';
import { achievement, DAILY, item, items, metricBoard, perLesson, xp, xpBoard } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import type { Json } from '../support/reading.ts';
import { useServer } from '../support/useServer.ts';

/**
 * The awards, days on leaderboards and days of metrics that Redis keeps of users who are read are those of
 * PostgreSQL, whatever happens: random steps, after each of which short and long reads of all users are
 * compared.
 */
const STEPS = Number(process.env.LAUREL_KEPT_STEPS ?? 60);
const USERS = ['ann', 'bo', 'cy', 'dee', 'eve'];
const ZONES = ['UTC', 'Pacific/Auckland', 'America/Lima', 'Pacific/Kiritimati'];
const START = Date.parse('2031-03-03T06:00:00Z');
const HOUR_MS = 3_600_000;
const ROWS = 10;
const SYSTEMS = ['xp', 'energy'];
const METRICS = ['lessons', 'minutes'];
const BOARDS = ['daily', 'weekly', 'city', 'best', 'few'];

const server = useServer({ config: 'none', relay: true });
let imports: Importing;
let cells: Cells;
beforeAll(async () => {
  imports = await useImports(server);
  cells = (await readCells(server.pool))!;
});
afterAll(() => imports.close());

const configOf = (points: number, boosts: object[]): object => ({
  metrics: items('lessons', 'minutes'),
  attributes: { user: items('city') },
  streak: { enabled: true, metrics: [{ key: 'lessons', threshold: 1 }] },
  achievements: [
    achievement('five', 5),
    item('profile', { trigger: 'api' }),
    item('both', { trigger: 'achievement', achievements: ['five', 'profile'] }),
  ],
  points: [
    xp(
      [
        perLesson(points),
        { type: 'achievement', achievement: 'profile', points: 20 },
        { type: 'streak', streakLength: 2, points: 5 },
        { type: 'time', timeUnit: 'days', timeInterval: 2, points: 3 },
      ],
      { boosts },
    ),
    {
      key: 'energy',
      name: 'Energy',
      maxPoints: 9,
      triggers: [
        { type: 'user_creation', points: 9 },
        { type: 'time', timeUnit: 'hours', timeInterval: 5, points: 1 },
        perLesson(-2),
      ],
    },
  ],
  leaderboards: [
    metricBoard('daily', DAILY),
    xpBoard('weekly', { runUnit: 'day', runInterval: 7 }),
    xpBoard('city', { breakdownAttributes: ['city'] }),
    metricBoard('best', { aggregation: 'best' }),
    metricBoard('few', { maxParticipants: 2 }),
  ],
  settings: { lateEvents: { maxAgeSeconds: 9 * 86_400 } },
});

/** Which reads Redis can serve before anybody has read. */
interface Served {
  kept: number;
  others: number;
}

class Steps {
  readonly #random = new Random(readSeed('keptHistory.random', 20_261_127));
  readonly #done: string[] = [];
  readonly #events: { userId: string; eventId: string }[] = [];
  readonly #served: Served = { kept: 0, others: 0 };
  #now = START;

  async run(steps: number): Promise<Served> {
    await server.moveTo(this.#now);
    await this.#configure();
    for (let step = 0; step < steps; step++) {
      const [name, act] = this.#random.weighted<[string, () => Promise<unknown>]>([
        [40, ['event', () => this.#record({})]],
        [15, ['batch', () => this.#batch()]],
        [20, ['time', () => this.#pass(this.#random.int(1, 30) * HOUR_MS)]],
        [5, ['late event', () => this.#recordLate()]],
        [4, ['undo', () => this.#undo()]],
        [6, ['identify', () => this.#identify()]],
        [4, ['complete', () => this.#complete()]],
        [3, ['adjust', () => this.#admin('points/xp/adjustments', { amount: this.#random.int(-20, 20) })]],
        [2, ['revoke', () => this.#admin('achievements/profile/revoke', {})]],
        [2, ['hide', () => this.#admin(`leaderboards/daily/${this.#random.pick(['hide', 'show'])}`, {})]],
        [2, ['block', () => this.#admin('block', { seconds: 3_600 })]],
        [2, ['preferences', () => this.#prefer()]],
        [1, ['configuration', () => this.#configure()]],
        [2, ['import', () => this.#import()]],
        [1, ['erasure', () => server.call('DELETE', `/admin/v1/users/${this.#user()}`)]],
      ]);
      this.#done.push(`${new Date(this.#now).toISOString()} ${name}`);
      await act();
      await this.#compare();
    }
    await server.expectSameStores();
    return this.#served;
  }

  #user(): string {
    return this.#random.pick(USERS);
  }

  #pass(ms: number): Promise<void> {
    this.#now += ms;
    return server.moveTo(this.#now);
  }

  async #configure(): Promise<void> {
    const random = this.#random;
    const boosts = random.chance(0.5) ? [{ name: 'Double', start: '2030-01-01', multiplier: 2 }] : [];
    await server.configure(configOf(random.int(1, 3), boosts));
  }

  async #record(more: object, userId = this.#user()): Promise<void> {
    const user = { id: userId, ...(this.#random.chance(0.2) && { tz: this.#random.pick(ZONES) }) };
    const event = { user, value: this.#random.int(1, 4), ...more };
    const metric = this.#random.chance(0.9) ? 'lessons' : 'minutes';
    const { status, body } = await server.call('POST', `/v1/metrics/${metric}/event`, event);
    this.#done.push(`${metric} ${JSON.stringify(event)} ${status}`);
    if (status === 201) this.#events.push({ userId, eventId: body.eventId });
  }

  /** Events of several users in one call of a script. */
  async #batch(): Promise<void> {
    const events = Array.from({ length: this.#random.int(2, 12) }, () => ({
      key: 'lessons',
      user: { id: this.#user() },
      value: this.#random.int(1, 3),
    }));
    this.#done.push(JSON.stringify(events));
    await server.answer('POST', '/admin/v1/metrics/events', events);
  }

  #recordLate(): Promise<void> {
    const at = this.#now - this.#random.int(1, 8 * 24) * HOUR_MS;
    return this.#record({ timestamp: new Date(at).toISOString() });
  }

  async #undo(): Promise<void> {
    if (this.#events.length === 0) return;
    const { userId, eventId } = this.#random.pick(this.#events);
    const path = `/admin/v1/users/${userId}/events/${eventId}/undo`;
    await this.#pass(1_000);
    await server.call('POST', path, { reason: 'A fault', points: true, achievements: true });
    await this.#pass(1_000);
  }

  async #identify(): Promise<void> {
    const attributes = { city: this.#random.pick(['rome', 'oslo']) };
    const profile = { attributes, tz: this.#random.pick(ZONES) };
    this.#done.push(JSON.stringify(profile));
    await server.answer('PUT', `/v1/users/${this.#user()}`, profile);
  }

  #complete(): Promise<unknown> {
    return server.call('POST', '/v1/achievements/profile/complete', { user: { id: this.#user() } });
  }

  async #admin(path: string, body: object): Promise<void> {
    const userId = this.#user();
    const reply = await server.admin('POST', `/users/${userId}/${path}`, { ...body, reason: 'Test' });
    this.#done.push(`${userId} ${path} ${JSON.stringify(body)} ${reply.status}`);
    expect(reply.status).toBeLessThan(500);
  }

  async #prefer(): Promise<void> {
    const preferences = { leaderboards: { visible: this.#random.chance(0.6) } };
    await server.call('PATCH', `/v1/users/${this.#user()}/preferences`, preferences);
  }

  async #import(): Promise<void> {
    const row = { id: this.#user(), 'points.xp': this.#random.int(1, 300) };
    this.#done.push(JSON.stringify(row));
    await imports.import('users', [row], this.#random.chance(0.5) ? { merge: 'add' } : {});
  }

  async #compare(): Promise<void> {
    for (const userId of USERS) {
      if ((await server.call('GET', `/v1/users/${userId}`)).status !== 200) continue;
      await this.#countServed(userId);
      for (const key of SYSTEMS)
        await this.#compareOne(`/v1/users/${userId}/points/${key}`, 'awards', 'awards');
      for (const key of BOARDS)
        await this.#compareOne(`/v1/users/${userId}/leaderboards/${key}`, 'numEvents', 'history');
      for (const key of METRICS) await this.#compareDays(`/v1/users/${userId}/metrics/${key}/event-summary`);
    }
  }

  async #countServed(userId: string): Promise<void> {
    const user = { tenant: DEFAULT_TENANT, userId };
    const state = (await readUserState(server.redis, cells, user))!;
    const key = keys.history(user.tenant, cellOf(user.tenant, userId, cells), userId);
    const list = await server.redis.lrangeBuffer(key, 0, -1);
    const isKept = state.keepsHistory && readKeptHistory(list, state.sequence) !== null;
    this.#served[isKept ? 'kept' : 'others']++;
  }

  async #compareDays(path: string): Promise<void> {
    const after = (days: number): string =>
      new Date(this.#now + days * 24 * HOUR_MS).toISOString().slice(0, 10);
    const read = (days: number): Promise<Json[]> =>
      server.get(`${path}?aggregation=daily&startDate=${after(-days)}&endDate=${after(1)}`);
    const [long, short] = [await read(300), await read(29)];
    expect(short, `${path}\n${this.#done.slice(-30).join('\n')}`).toEqual(long.slice(-31));
  }

  async #compareOne(path: string, parameter: string, name: string): Promise<void> {
    const long = await server.get(`${path}?${parameter}=${ROWS + 1}`);
    const expected = { ...long, [name]: long[name].slice(0, ROWS) };
    for (const short of [await server.get(path), await server.get(`${path}?${parameter}=${ROWS}`)])
      expect(short, `${path}\n${this.#done.slice(-30).join('\n')}`).toEqual(expected);
  }
}

test('short reads answer what long ones answer, after each of many random steps', {
  timeout: 900_000,
}, async () => {
  const { kept, others } = await new Steps().run(STEPS);
  expect(kept).toBeGreaterThan(others * 3);
});
