import { afterAll, beforeAll, expect, test } from 'vitest';
import { allCells } from '../../src/base/cells.ts';
import { DEFAULT_TENANT } from '../../src/db/configuration/loadConfig.ts';
import { readCells } from '../../src/db/installation.ts';
import { prepared } from '../../src/db/rows.ts';
import { readStreakPeriods } from '../../src/db/users/readUserHistory.ts';
import { recentHistory } from '../../src/redis/decoding/recentPeriods.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readUserState } from '../../src/redis/state/currentStates.ts';
import { waitForRelay } from '../../src/redis/state/relayProgress.ts';
import { localTime, periodOf } from '../../src/rules/calendar.ts';
import type { Frequency } from '../../src/rules/config.ts';
import { type Importing, useImports } from '../support/importing.ts';
import { item, items } from '../support/items.ts';
import { Random, readSeed } from '../support/random.ts';
import { useServer } from '../support/useServer.ts';

/**
 * The latest periods of a streak in the state of a user are those of the history, whatever happens: random
 * steps, after each of which both are compared for all users.
 */
const STEPS = Number(process.env.LAUREL_PERIOD_STEPS ?? 400);
const USERS = ['ann', 'bo', 'cy', 'dee', 'eve'];
const ZONES = ['UTC', 'Pacific/Auckland', 'America/Lima', 'Asia/Kolkata', 'Pacific/Kiritimati'];
const START = Date.parse('2031-03-03T06:00:00Z');
const HOUR_MS = 3_600_000;
const PERIODS = 7;
const RELAY_MS_MAX = 20_000;

const server = useServer({ config: 'none', relay: true });
let imports: Importing;
beforeAll(async () => {
  imports = await useImports(server);
});
afterAll(() => imports.close());

const configOf = (frequency: Frequency, threshold: number, daysOff: number[]): object => ({
  metrics: items('lessons', 'minutes'),
  streak: {
    enabled: true,
    frequency,
    evaluationMode: 'OR',
    metrics: [{ key: 'lessons', threshold }],
    freezes: { startCount: 1, maxCount: 3, autoEarnInterval: 4, autoEarnAmount: 1 },
    daysOff,
    customizationEnabled: true,
  },
  achievements: [item('week', { trigger: 'streak', streakLength: 7 })],
  settings: { lateEvents: { maxAgeSeconds: 9 * 86_400 } },
});

class Steps {
  readonly #random = new Random(readSeed('recentPeriods.random', 20_261_127));
  readonly #done: string[] = [];
  #compared = 0;
  readonly #events: { userId: string; eventId: string }[] = [];
  #now = START;
  #frequency: Frequency = 'daily';

  /** @returns number of comparisons; none is made while only the history has the periods of a user */
  async run(steps: number): Promise<number> {
    await server.moveTo(this.#now);
    await this.#configure();
    for (let step = 0; step < steps; step++) {
      const [name, act] = this.#random.weighted<[string, () => Promise<unknown>]>([
        [30, ['event', () => this.#record({})]],
        [12, ['late event', () => this.#recordLate()]],
        [5, ['undo', () => this.#undo()]],
        [25, ['time', () => this.#advance()]],
        [5, ['zone', () => this.#identify({ tz: this.#random.pick(ZONES) })]],
        [4, ['freeze', () => this.#streaks('freezes', { freezes: [{ userId: this.#user() }] })]],
        [5, ['pause', () => this.#pause()]],
        [5, ['restore', () => this.#streaks('restore', { users: [{ id: this.#user() }] })]],
        [1, ['reset', () => this.#streaks('reset', { users: [{ id: this.#user() }] })]],
        [2, ['preferences', () => this.#prefer()]],
        [1, ['configuration', () => this.#configure()]],
        [3, ['import', () => this.#import()]],
        [1, ['erasure', () => server.call('DELETE', `/admin/v1/users/${this.#user()}`)]],
      ]);
      this.#done.push(`${new Date(this.#now).toISOString()} ${name}`);
      await act();
      await this.#compare();
    }
    await server.expectSameStores();
    return this.#compared;
  }

  #user(): string {
    return this.#random.pick(USERS);
  }

  #advance(): Promise<void> {
    this.#now += this.#random.int(1, this.#frequency === 'daily' ? 30 : 200) * HOUR_MS;
    return server.moveTo(this.#now);
  }

  async #configure(): Promise<void> {
    const random = this.#random;
    this.#frequency = random.pick(['daily', 'daily', 'daily', 'weekly', 'monthly']);
    const daysOff = this.#frequency === 'daily' && random.chance(0.3) ? [0] : [];
    await server.configure(configOf(this.#frequency, random.int(1, 2), daysOff));
  }

  async #record(more: object, userId = this.#user()): Promise<void> {
    const event = { user: { id: userId }, value: this.#random.int(1, 2), ...more };
    const metric = this.#random.chance(0.9) ? 'lessons' : 'minutes';
    const { status, body } = await server.call('POST', `/v1/metrics/${metric}/event`, event);
    this.#done.push(`${metric} ${JSON.stringify(event)}`);
    if (status === 201) this.#events.push({ userId, eventId: body.eventId });
  }

  #recordLate(): Promise<void> {
    const at = this.#now - this.#random.int(1, 8 * 24) * HOUR_MS;
    return this.#record({ timestamp: new Date(at).toISOString() });
  }

  async #undo(): Promise<void> {
    if (this.#events.length === 0) return;
    const { userId, eventId } = this.#random.pick(this.#events);
    const path = `/admin/v1/users/${userId}/events/${eventId}/undo`;
    await server.call('POST', path, { reason: 'A fault', points: true, achievements: true });
  }

  async #identify(profile: object): Promise<void> {
    const userId = this.#user();
    this.#done.push(`${userId} ${JSON.stringify(profile)}`);
    await server.answer('PUT', `/v1/users/${userId}`, profile);
  }

  async #streaks(what: string, body: object): Promise<void> {
    this.#done.push(JSON.stringify(body));
    await server.answer('POST', `/admin/v1/streaks/${what}`, body);
  }

  #pause(): Promise<void> {
    const day = (after: number): string =>
      new Date(this.#now + after * 24 * HOUR_MS).toISOString().slice(0, 10);
    const start = this.#random.int(0, 3);
    const end = start + this.#random.int(0, 8);
    return this.#streaks('pauses', { pauses: [{ userId: this.#user(), start: day(start), end: day(end) }] });
  }

  async #prefer(): Promise<void> {
    const userId = this.#user();
    const preferences = { streak: { enabled: this.#random.chance(0.7) } };
    await server.call('PATCH', `/v1/users/${userId}/preferences`, preferences);
  }

  async #import(): Promise<void> {
    const lastDate = new Date(this.#now - this.#random.int(0, 6) * 24 * HOUR_MS).toISOString().slice(0, 10);
    const row = { id: this.#user(), 'streak.length': this.#random.int(1, 300), 'streak.lastDate': lastDate };
    this.#done.push(JSON.stringify(row));
    await imports.import('users', [row], this.#random.chance(0.5) ? { merge: 'add' } : {});
  }

  async #compare(): Promise<void> {
    const { pool, redis } = server;
    const cells = (await readCells(pool))!;
    const known: string[] = [];
    for (const userId of USERS)
      if ((await server.call('GET', `/v1/users/${userId}`)).status === 200) known.push(userId);
    await waitForRelay(new Scripts(redis, cells), allCells(cells), RELAY_MS_MAX);
    for (const userId of known) {
      const key = { tenant: DEFAULT_TENANT, userId };
      const user = (await readUserState(redis, cells, key))!;
      const last = periodOf(localTime(user.tz ?? 'UTC', this.#now), this.#frequency);
      const first = last - PERIODS + 1;
      const short = recentHistory(user.recentPeriods, this.#frequency, { first, last });
      if (short === null) continue;
      this.#compared++;
      const long = await readStreakPeriods(prepared(pool), key, this.#frequency, first, last);
      const extensions = long.extensions.toSorted((a, b) => a.period - b.period);
      const done = this.#done.slice(-40).join('\n');
      expect(short, `${userId} after ${this.#done.length}\n${done}`).toEqual({ ...long, extensions });
    }
  }
}

test('the latest periods in the state are those of the history after each of many random steps', {
  timeout: 600_000,
}, async () => {
  expect(await new Steps().run(STEPS)).toBeGreaterThan(STEPS);
});
