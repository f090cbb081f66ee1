import { DateTime } from 'luxon';
import type { EventRequest } from '../../src/contract/event.ts';
import type { StreakPreferences } from '../../src/contract/preferences.ts';
import type { UpdatedUser } from '../../src/contract/user.ts';
import type { StreakAmendment } from '../../src/engine/users/userChangeRecords.ts';
import type { PointsTrigger, StreakSettings } from '../../src/rules/config.ts';
import type { Random } from './random.ts';
import { EVENT_ATTRIBUTES, type EventAttribute, TYPED_USER_ATTRIBUTES } from './randomConditions.ts';
import { API_ACHIEVEMENTS, METRICS, randomDaysOff, USER_ATTRIBUTES } from './randomConfig.ts';

const USERS = ['ann', 'bo', 'cy', 'dee', 'eli', 'fay', 'gus', 'hal', 'ünal', 'jo:1', '{kim}', 'lou'] as const;
export const ZONES = [
  'Pacific/Kiritimati',
  'America/Los_Angeles',
  'Europe/London',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Honolulu',
  'Pacific/Pago_Pago',
  'Pacific/Auckland',
  null,
] as const;

export interface EventOperation {
  metric: string;
  request: EventRequest;
  key: string | null;
  /** Values of further metrics of an event that is sent as one of several metrics, by key. */
  others?: Readonly<Record<string, number>>;
}

/** A leaderboard gives its rewards for one of its rankings: by their order, or (null) for the next one. */
export interface RewardOperation {
  op: 'reward';
  board: number;
  ranking: number | null;
}

/** Gives a user another id, unless somebody has it, between an event and its repetitions. */
export interface RenameOperation {
  op: 'rename';
  userId: string;
  newId: string;
  event: EventOperation;
}

export type Operation =
  /** All in one turn of the event loop. */
  | { op: 'record'; events: EventOperation[] }
  /** By one of the calls that change a profile, PUT by default: PATCH only that of a known user. */
  | { op: 'identify'; userId: string; profile: UpdatedUser; by?: 'PUT' | 'POST' | 'PATCH' }
  | { op: 'read'; userId: string }
  /** Blocks a user for some seconds, or for good (null), or lifts the block (0). */
  | { op: 'block'; userId: string; seconds: number | null }
  | RenameOperation
  | { op: 'complete'; userId: string; profile: UpdatedUser; achievement: string }
  | { op: 'amend'; userId: string; amendment: StreakAmendment }
  /**
   * Conditions of one's own are left out where the tenant does not allow them. isVisible: whether the user is on
   * leaderboards; undefined stays as it is.
   */
  | { op: 'prefer'; userId: string; streak: StreakPreferences; isVisible: boolean | undefined }
  /**
   * Other time triggers in place of those that there are; whether a worker takes them to everybody at once.
   */
  | { op: 'setTimers'; timer: Pick<PointsTrigger, 'timeUnit' | 'timeInterval' | 'points'>; isSwept: boolean }
  /** Other anniversaries are active. */
  | { op: 'setAnniversaries'; years: readonly number[]; isSwept: boolean }
  /** A leaderboard is paused, or resumed. */
  | { op: 'setPause'; board: number; isSwept: boolean }
  /** The last day of the present run is so many days after today. */
  | { op: 'endRun'; board: number; days: number; isSwept: boolean }
  /** Another idempotency window, or none. */
  | { op: 'setWindow'; seconds: number | null }
  | { op: 'setMaximum'; board: number; max: number }
  /** Other maxima of a points system and of freezes: users may have more already. */
  | { op: 'setMaxima'; system: number; points: number | null; freezes: number }
  | RewardOperation
  | { op: 'setStreak'; streak: ReturnType<typeof streakSettings> };

/** Ids that users get later. */
const SPARE_IDS = ['zoe', 'pia', 'max', 'tóm', '{eva}', 'ida:2'] as const;

/** How often an operation beside events happens in one run: never, or as often as others, or much more often. */
const EMPHASES = [0, 0, 1, 1, 4] as const;

/**
 * What happens in one run of the test: few users that do much a day, or many that do little; and each run does
 * much of some operations and none of others, so that rare ones meet.
 */
export class Traffic {
  readonly #random: Random;
  #users: readonly string[];
  /** Stretches the longer pauses. */
  readonly #slowness: number;
  /** By the position of the operation, once one may happen. */
  readonly #emphases: number[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#users = USERS.slice(0, random.pick([2, 3, 5, USERS.length]));
    this.#slowness = random.pick([0.2, 0.5, 1]);
  }

  /**
   * How far the clock moves before the next operation, ms: within a burst, within a day, or over some days.
   */
  pause(): number {
    const random = this.#random;
    const [hour, day] = [3_600_000, 86_400_000];
    return random.weighted([
      [30, () => 0],
      [25, () => random.int(1, 5_000)],
      [25 * this.#slowness, () => random.int(1, hour)],
      [17 * this.#slowness, () => random.int(hour, 8 * hour)],
      [2 * this.#slowness, () => random.int(8 * hour, 2 * day)],
      [0.3, () => random.int(2 * day, 9 * day)],
    ])();
  }

  /** Who does something at present. */
  get users(): readonly string[] {
    return this.#users;
  }

  /** From now on, somebody else does something, too. */
  invite(userId: string): void {
    this.#users = [...this.#users, userId];
  }

  /** An event of a user on a day. */
  event(userId: string, day: number): EventOperation {
    return event(this.#random, userId, day);
  }

  /** Whether the workers are up at the moment. */
  isSwept(): boolean {
    return this.#random.chance(0.6);
  }

  /** From now on, the user sends under the new id. */
  rename({ userId, newId }: RenameOperation): void {
    this.#users = this.#users.map((id) => (id === userId ? newId : id));
  }

  #rename(userId: string, day: number): Operation {
    const newId = this.#random.pick([...USERS, ...SPARE_IDS].filter((id) => !this.#users.includes(id)));
    return { op: 'rename', userId, newId, event: event(this.#random, userId, day) };
  }

  operation(day: number): Operation {
    const random = this.#random;
    const userId = random.pick(this.#users);
    const record = (count: number): Operation => {
      const users = Array.from({ length: count }, () => random.pick(this.#users));
      return { op: 'record', events: users.map((id) => event(random, id, day)) };
    };
    const others: [weight: number, () => Operation][] = [
      [9, () => this.#identify(userId, day)],
      [10, () => ({ op: 'read', userId })],
      [6, () => complete(random, userId, day)],
      [6, () => ({ op: 'amend', userId, amendment: amendment(random, day) })],
      [3, () => ({ op: 'block', userId, seconds: random.pick([0, 0, 0, 1, 60, 7_200, 86_400, null]) })],
      [3, () => this.#rename(userId, day)],
      [3, () => ({ op: 'prefer', userId, streak: streakPreferences(random), isVisible: undefined })],
      [4, () => ({ op: 'prefer', userId, ...visibility(random) })],
      [
        4,
        () => ({ op: 'reward', board: random.int(0, 7), ranking: random.pick([null, random.int(0, 100)]) }),
      ],
      [1, () => ({ op: 'setWindow', seconds: random.pick([null, null, 3_600, 86_400 * 3]) })],
      [1, () => ({ op: 'setMaximum', board: random.int(0, 7), max: random.pick([1, 2, 3, 100]) })],
      [
        1,
        () => ({
          op: 'setMaxima',
          system: random.int(0, 1),
          points: random.pick([5, 60, 200, null]),
          freezes: random.int(1, 4),
        }),
      ],
      [2, () => ({ op: 'setStreak', streak: streakSettings(random) })],
      [
        1,
        () => ({ op: 'setAnniversaries', years: random.some([1, 2, 3], 0.6), isSwept: random.chance(0.4) }),
      ],
      [2, () => ({ op: 'setPause', board: random.int(0, 7), isSwept: random.chance(0.4) })],
      [
        2,
        () => ({
          op: 'endRun',
          board: random.int(0, 7),
          days: random.int(0, 6),
          isSwept: random.chance(0.4),
        }),
      ],
      [1, () => ({ op: 'setTimers', timer: timer(random), isSwept: random.chance(0.4) })],
    ];
    return random.weighted<() => Operation>([
      [64, () => record(1)],
      [10, () => record(random.int(2, 12))],
      ...others.map(([weight, draw], i) => [weight * this.#emphasis(i), draw] as const),
    ])();
  }

  #identify(userId: string, day: number): Operation {
    const by = this.#random.pick(['PUT', 'PUT', 'POST', 'PATCH'] as const);
    return { op: 'identify', userId, profile: profile(this.#random, 1, day), by };
  }

  #emphasis(position: number): number {
    this.#emphases[position] ??= this.#random.pick(EMPHASES);
    return this.#emphases[position];
  }
}

function streakSettings(
  random: Random,
): Pick<StreakSettings, 'enabled' | 'frequency' | 'daysOff' | 'evaluationMode' | 'customizationEnabled'> {
  const frequency = random.pick(['daily', 'daily', 'weekly', 'monthly'] as const);
  return {
    enabled: random.chance(0.7),
    frequency,
    daysOff: frequency === 'daily' ? randomDaysOff(random) : [],
    evaluationMode: random.pick(['AND', 'OR']),
    customizationEnabled: random.chance(0.7),
  };
}

function timer(random: Random): Pick<PointsTrigger, 'timeUnit' | 'timeInterval' | 'points'> {
  const timeUnit = random.pick(['hour', 'day'] as const);
  return { timeUnit, timeInterval: random.pick([1, 1, 2, 6]), points: random.pick([1, 2, 5, -3]) };
}

export function streakPreferences(random: Random): StreakPreferences {
  const preferences: StreakPreferences = {};
  if (random.chance(0.4)) preferences.enabled = random.chance(0.5);
  if (random.chance(0.4)) preferences.evaluationMode = random.pick(['OR', 'AND']);
  const keys = random.chance(0.6) ? random.some(METRICS, 0.5) : [];
  if (keys.length > 0)
    preferences.metrics = keys.map((key) => ({ key, threshold: random.pick([0.5, 1, 2, 4]) }));
  if (random.chance(0.4)) preferences.daysOff = randomDaysOff(random);
  return preferences;
}

/** Some users set more at once. */
function visibility(random: Random): { streak: StreakPreferences; isVisible: boolean } {
  const streak = random.chance(0.2) ? streakPreferences(random) : {};
  return { streak, isVisible: random.chance(0.6) };
}

/** Pauses have few names, so that some are deleted. Most begin soon: before the next period is missed, or after. */
function amendment(random: Random, day: number): StreakAmendment {
  const id = `pause-${random.int(1, 20)}`;
  const start = day + random.pick([-1, 0, 1, 1, 2, 2, random.int(3, 9)]);
  return random.pick<StreakAmendment>([
    { op: 'freeze' },
    { op: 'restore' },
    { op: 'restore' },
    { op: 'reset' },
    { op: 'pause', id, start, end: start + random.int(0, 9) },
    { op: 'pause', id, start, end: start + random.int(0, 2) },
    { op: 'resume', id },
  ]);
}

function event(random: Random, userId: string, day: number): EventOperation {
  const request: EventRequest = {
    user: { id: userId, ...(random.chance(0.2) ? profile(random, 0.5, day) : {}) },
    value: random.weighted([
      [50, () => 1],
      [15, () => random.int(1, 6)],
      [15, () => random.int(1, 25) / 10],
      [14, () => -random.int(1, 40) / 10],
      [6, () => 0],
    ])(),
  };
  if (random.chance(0.6)) {
    const keys = random.some(Object.keys(EVENT_ATTRIBUTES) as EventAttribute[], 0.7);
    request.attributes = Object.fromEntries(keys.map((key) => [key, random.pick(EVENT_ATTRIBUTES[key])]));
  }
  // From a small pool that moves on with the days, so that replays happen and never become the rule.
  const key = random.chance(0.3) ? `key-${day - random.int(0, 1)}-${random.int(1, 2)}` : null;
  return { metric: random.weighted([5, 3, 2].map((weight, i) => [weight, METRICS[i]!])), request, key };
}

function complete(random: Random, userId: string, day: number): Operation {
  return {
    op: 'complete',
    userId,
    profile: random.chance(0.3) ? profile(random, 0.4, day) : {},
    achievement: random.pick(API_ACHIEVEMENTS),
  };
}

/** Each field is there or not; `share` says how likely. */
function profile(random: Random, share: number, day: number): UpdatedUser {
  const fields: UpdatedUser = {};
  if (random.chance(0.6 * share)) fields.tz = random.pick(ZONES);
  if (random.chance(0.4 * share)) {
    const values = { ...USER_ATTRIBUTES, ...TYPED_USER_ATTRIBUTES };
    const keys = random.some(Object.keys(values) as (keyof typeof values)[], 0.7);
    const value = (key: (typeof keys)[number]) => (random.chance(0.2) ? null : random.pick([...values[key]]));
    fields.attributes = Object.fromEntries(keys.map((key) => [key, value(key)]));
  }
  if (random.chance(0.2 * share)) fields.name = random.pick(['Ann', 'Bo', '', null]);
  if (random.chance(0.2 * share)) fields.email = random.pick(['a@example.com', 'b@example.com', null]);
  if (random.chance(0.2 * share)) fields.subscribeToEmails = random.chance(0.5);
  if (random.chance(0.3 * share)) fields.signUpDate = signUpDate(random, day);
  if (random.chance(0.1 * share))
    fields.deviceTokens = random.pick([['token'], ['token', 'other'], [], null]);
  return fields;
}

/** Mostly a date whose anniversaries are around `day`; now and then one after it, which is refused. */
function signUpDate(random: Random, day: number): string | null {
  const near = DateTime.fromMillis((day + random.int(-3, 8)) * 86_400_000, { zone: 'utc' });
  const date = near.minus({ years: random.int(random.chance(0.2) ? 0 : 1, 3) }).toISODate()!;
  return random.weighted([
    [8, date],
    [1, `${date}T20:30:00-05:00`],
    [1, '2024-02-29'],
    [1, null],
  ]);
}
