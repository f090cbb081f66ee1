import { expect } from 'vitest';
import type { Frequency } from '../../src/rules/config.ts';
import type { Importing } from './importing.ts';
import { achievement, DAILY, item, items, metricBoard, perLesson, xp, xpBoard } from './items.ts';
import type { Random } from './random.ts';
import { until } from './until.ts';
import type { ServerUnderTest } from './useServer.ts';

/** Random operations on users, which change what short reads answer. */

const ZONES = ['UTC', 'Pacific/Auckland', 'America/Lima', 'Asia/Kolkata', 'Pacific/Kiritimati'];
const START = Date.parse('2031-03-03T06:00:00Z');
const HOUR_MS = 3_600_000;
/** Operations that a failure names. */
const SHOWN = 20;

export const SYSTEMS = ['xp', 'energy'];
export const METRICS = ['lessons', 'minutes'];
export const BOARDS = ['daily', 'weekly', 'city', 'best', 'few'];

function streakOf(random: Random, frequency: Frequency): object {
  return {
    enabled: true,
    frequency,
    evaluationMode: 'OR',
    metrics: [{ key: 'lessons', threshold: random.int(1, 2) }],
    freezes: { startCount: 1, maxCount: 3, autoEarnInterval: 4, autoEarnAmount: 1 },
    daysOff: frequency === 'daily' && random.chance(0.3) ? [0] : [],
    customizationEnabled: true,
  };
}

const configOf = (random: Random, frequency: Frequency): object => ({
  metrics: items('lessons', 'minutes'),
  attributes: { user: items('city') },
  streak: streakOf(random, frequency),
  achievements: [
    achievement('five', 5),
    item('week', { trigger: 'streak', streakLength: 7 }),
    item('profile', { trigger: 'api' }),
    item('both', { trigger: 'achievement', achievements: ['five', 'profile'] }),
  ],
  points: [
    xp(
      [
        perLesson(random.int(1, 3)),
        { type: 'achievement', achievement: 'profile', points: 20 },
        { type: 'streak', streakLength: 2, points: 5 },
        { type: 'time', timeUnit: 'days', timeInterval: 2, points: 3 },
      ],
      { boosts: random.chance(0.5) ? [{ name: 'Double', start: '2030-01-01', multiplier: 2 }] : [] },
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

interface ShortReadStepsOptions {
  server: ServerUnderTest;
  imports: Importing;
  random: Random;
  users: readonly string[];
}

export class ShortReadSteps {
  readonly #server: ServerUnderTest;
  readonly #imports: Importing;
  readonly #random: Random;
  readonly #users: readonly string[];
  /** What was done, of all users. */
  readonly #done: string[] = [];
  readonly #events = new Map<string, string[]>();
  /** Operations that a store did not answer in time, as happens on a busy machine. */
  unanswered = 0;
  frequency: Frequency = 'daily';
  now = START;

  constructor({ server, imports, random, users }: ShortReadStepsOptions) {
    this.#server = server;
    this.#imports = imports;
    this.#random = random;
    this.#users = users;
  }

  /** The latest operations on a user and on all users, for messages. */
  doneTo(userId: string): string {
    const concerns = (line: string): boolean => line.startsWith('all') || line.includes(userId);
    return this.#done.filter(concerns).slice(-SHOWN).join('\n');
  }

  async begin(): Promise<void> {
    await this.#server.moveTo(this.now);
    await this.configure();
  }

  async pass(ms: number): Promise<void> {
    this.now += ms;
    this.#done.push(`all: it is ${new Date(this.now).toISOString()}`);
    await this.#server.moveTo(this.now);
  }

  /** Time until the next operations: often within the present day, and some periods at most. */
  passSome(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.3)) return this.pass(random.int(1, 3_600) * 1_000);
    return this.pass(random.int(1, this.frequency === 'daily' ? 36 : 200) * HOUR_MS);
  }

  async configure(): Promise<void> {
    this.frequency = this.#random.pick(['daily', 'daily', 'daily', 'weekly', 'monthly']);
    this.#done.push(`all: configuration, ${this.frequency}`);
    await this.#server.configure(configOf(this.#random, this.frequency));
  }

  /** Imports the points or the streak of some users. */
  async import(): Promise<void> {
    const random = this.#random;
    const rows = random.some(this.#users, 0.2).map((id) => {
      if (random.chance(0.5)) return { id, 'points.xp': random.int(1, 300) };
      return {
        id,
        'streak.length': random.int(1, 300),
        'streak.lastDate': this.#dateAfter(-random.int(0, 6)),
      };
    });
    if (rows.length === 0) return;
    this.#done.push(`all: import of ${JSON.stringify(rows)}`);
    await this.#imports.import('users', rows, random.chance(0.5) ? { merge: 'add' } : {});
  }

  /** Erases a user. No worker finishes what is only accepted because the relay is slow. */
  async erase(): Promise<void> {
    const userId = this.#random.pick(this.#users);
    const erase = () => this.#call(userId, 'DELETE', `/admin/v1/users/${userId}`);
    await until(async () => (await erase()).status !== 202);
  }

  /** One operation on a user; those of several users may be under way at once. */
  act(userId: string): Promise<unknown> {
    const random = this.#random;
    const act = random.weighted<() => Promise<unknown>>([
      [40, () => this.#record(userId, {})],
      [10, () => this.#batch(userId)],
      [8, () => this.#recordLate(userId)],
      [5, () => this.#undo(userId)],
      [6, () => this.#identify(userId)],
      [4, () => this.#call(userId, 'POST', '/v1/achievements/profile/complete', { user: { id: userId } })],
      [3, () => this.#correct(userId, 'points/xp/adjustments', { amount: random.int(-20, 20) })],
      [2, () => this.#correct(userId, 'achievements/profile/revoke', {})],
      [2, () => this.#correct(userId, `leaderboards/daily/${random.pick(['hide', 'show'])}`, {})],
      [1, () => this.#correct(userId, 'block', { seconds: 3_600 })],
      [3, () => this.#streaks(userId, 'freezes', { freezes: [{ userId }] })],
      [3, () => this.#pause(userId)],
      [3, () => this.#streaks(userId, 'restore', { users: [{ id: userId }] })],
      [1, () => this.#streaks(userId, 'reset', { users: [{ id: userId }] })],
      [2, () => this.#prefer(userId)],
    ]);
    return act();
  }

  #dateAfter(days: number): string {
    return new Date(this.now + days * 24 * HOUR_MS).toISOString().slice(0, 10);
  }

  async #call(userId: string, method: string, path: string, body?: object) {
    const reply = await this.#server.call(method, path, body);
    this.#done.push(`${userId}: ${method} ${path} ${JSON.stringify(body)} ${reply.status}`);
    if (reply.status === 503) this.unanswered++;
    else expect(reply.status, `${this.#done.at(-1)} ${reply.body.error}`).toBeLessThan(500);
    return reply;
  }

  async #record(userId: string, more: object): Promise<void> {
    const user = { id: userId, ...(this.#random.chance(0.1) && { tz: this.#random.pick(ZONES) }) };
    const event = { user, value: this.#random.int(1, 4), ...more };
    const metric = this.#random.chance(0.9) ? 'lessons' : 'minutes';
    const { status, body } = await this.#call(userId, 'POST', `/v1/metrics/${metric}/event`, event);
    if (status === 201)
      this.#events.set(userId, [...(this.#events.get(userId) ?? []).slice(-9), body.eventId]);
  }

  /** Events of several users in one call of a script, two of them of this user. */
  #batch(userId: string): Promise<unknown> {
    const others = Array.from({ length: this.#random.int(0, 3) }, () => this.#random.pick(this.#users));
    const events = [userId, ...others, userId].map((id) => ({
      key: 'lessons',
      user: { id },
      value: this.#random.int(1, 3),
    }));
    return this.#call(userId, 'POST', '/admin/v1/metrics/events', events);
  }

  #recordLate(userId: string): Promise<void> {
    const at = this.now - this.#random.int(1, 8 * 24) * HOUR_MS;
    return this.#record(userId, { timestamp: new Date(at).toISOString() });
  }

  async #undo(userId: string): Promise<void> {
    const events = this.#events.get(userId) ?? [];
    if (events.length === 0) return;
    const path = `/admin/v1/users/${userId}/events/${this.#random.pick(events)}/undo`;
    await this.#call(userId, 'POST', path, { reason: 'A fault', points: true, achievements: true });
  }

  #identify(userId: string): Promise<unknown> {
    const attributes = { city: this.#random.pick(['rome', 'oslo']) };
    const profile = { attributes, tz: this.#random.pick(ZONES) };
    return this.#call(userId, 'PUT', `/v1/users/${userId}`, profile);
  }

  #correct(userId: string, path: string, body: object): Promise<unknown> {
    return this.#call(userId, 'POST', `/admin/v1/users/${userId}/${path}`, { ...body, reason: 'Test' });
  }

  #streaks(userId: string, what: string, body: object): Promise<unknown> {
    return this.#call(userId, 'POST', `/admin/v1/streaks/${what}`, body);
  }

  #pause(userId: string): Promise<unknown> {
    const start = this.#random.int(0, 3);
    const end = start + this.#random.int(0, 8);
    const pause = { userId, start: this.#dateAfter(start), end: this.#dateAfter(end) };
    return this.#streaks(userId, 'pauses', { pauses: [pause] });
  }

  #prefer(userId: string): Promise<unknown> {
    const random = this.#random;
    return this.#call(userId, 'PATCH', `/v1/users/${userId}/preferences`, {
      leaderboards: { visible: random.chance(0.6) },
      streak: { enabled: random.chance(0.8) },
    });
  }
}
