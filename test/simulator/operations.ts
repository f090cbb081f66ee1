import type { NotificationPreferences, StreakPreferences } from '../../src/contract/preferences.ts';
import type { UpdatedUser } from '../../src/contract/user.ts';
import type { Random } from '../support/random.ts';
import { METRICS } from '../support/randomConfig.ts';
import {
  type EventOperation,
  type Operation,
  type RenameOperation,
  type Traffic,
  ZONES,
} from '../support/randomOperations.ts';
import { DAY_MS, HOUR_MS } from '../support/testTime.ts';
import { ImportTraffic } from './importTraffic.ts';
import type { Break } from './service.ts';
import type { Step } from './world.ts';

/** Events in one call of the Admin API. */
export interface BatchOperation {
  op: 'batch';
  events: readonly EventOperation[];
  /** Whether the answer has the result of each event. */
  results: boolean;
  /** Whether unknown fields refuse an event. */
  strict: boolean;
  /** Indexes of the events that have an unknown field. */
  misspelled: number[];
  /** Whether one more event names an unknown metric. */
  invalid: boolean;
}

/** An event that happened so long before it arrives, or is said to happen later. */
export interface LateOperation {
  op: 'late';
  event: EventOperation;
  ms: number;
}

/** The past of a user. */
export interface ImportOperation {
  op: 'import';
  userId: string;
  /** The oldest first, each so long ago, ms. */
  past: readonly { ago: number; event: EventOperation }[];
  /** Whether one more row happens in the future. */
  invalid: boolean;
}

/** A user as the user was elsewhere. Configured items are named by their position. */
export interface ImportUserOperation {
  op: 'importUser';
  userId: string;
  profile: UpdatedUser;
  /** So long ago, ms; null if the row does not say so. */
  created: number | null;
  /** Completed so long ago, ms. */
  achievements: readonly { achievement: number; ago: number }[];
  /** Totals by key, some of which are refused. */
  metrics: Readonly<Record<string, number>>;
  points: readonly { system: number; total: number }[];
  /** How many runs were completed. */
  challenges: readonly { challenge: number; completions: number }[];
  /** Extended last so many days ago; null if the row does not say so. */
  streak: { length: number; longest: number | null; daysAgo: number } | null;
  /** Null if the row does not say so. */
  freezes: number | null;
  streakPreferences: StreakPreferences;
  channels: NotificationPreferences;
  /** Null if the row does not say so. */
  isVisible: boolean | null;
  /**
   * Whether the row keeps freezes beyond the maximum and conditions of one's own where the tenant does not allow them;
   * else they are left out.
   */
  isUnfit?: boolean;
  /** Whether values are texts, as in a file of CSV. */
  isText?: boolean;
  /** Another user, who gets a second row in the file, with the time zone of this user; null if there is no such row. */
  beside?: string | null;
}

/** An event that an administrator undoes at once. */
export interface UndoOperation {
  op: 'undo';
  event: EventOperation;
}

/** Events of which a guard may hold some, and the decision of an administrator about those of one user. */
export interface DecideOperation {
  op: 'decide';
  events: readonly EventOperation[];
  verdict: 'approve' | 'reject';
  /** Whether a filter says which events are rejected. */
  byFilter: boolean;
}

/** What administrators correct. Configured items are named by their position. */
export type Correction =
  /** With a key, the same adjustment may come again. */
  | { op: 'adjust'; userId: string; system: number; amount: number; key: string | null }
  | { op: 'grant'; userId: string; achievement: number }
  | { op: 'revoke'; userId: string; achievement: number }
  /** Grants what revoked achievements, and those that require them, require, except what was revoked: it is not enough. */
  | { op: 'grantOthers'; userId: string }
  /** Hides a user from a leaderboard, or shows the user again. */
  | { op: 'hide'; userId: string; board: number; isHidden: boolean }
  /** A user or an administrator takes a step in a challenge, in the present run or in the one before. */
  | {
      op: 'challenge';
      userId: string;
      challenge: number;
      step: 'joined' | 'left' | 'claimed' | 'completed';
      isFormer: boolean;
    }
  | { op: 'erase'; userId: string };

/** What happens to parts of the service. */
export type Fault =
  /** Redis loses everything, and a restore brings it back. */
  | { op: 'restore' }
  /** The server stops and starts. */
  | { op: 'restart' }
  /** A part breaks after an event was sent, which comes again with its key. */
  | { op: 'break'; broken: Break; event: EventOperation };

/** What happens in a world. */
export type WorldOperation =
  | Operation
  | BatchOperation
  | LateOperation
  | ImportOperation
  | ImportUserOperation
  | UndoOperation
  | DecideOperation
  | Correction
  | Fault;

/** An instant (ms) at which something changes for a user. */
export interface Instant {
  at: number;
  userId: string;
  /** Position of the challenge whose rewards the user can claim until then. */
  claims?: number;
}

/** An operation of which something was refused until an instant, ms. */
export interface RefusedOperation {
  operation: WorldOperation;
  until: number;
}

/** Of events that are sent together, those that are a batch. */
const BATCH_SHARE = 0.6;
/** Of all events, those about which an administrator decides at once. */
const DECIDED_SHARE = 0.15;
/** Of all events, those that count for several metrics. */
const METRICS_SHARE = 0.15;
/** Of single events, those that arrive late. */
const LATE_SHARE = 0.12;
/** Of single events of one metric, those that are undone. */
const UNDONE_SHARE = 0.06;
const OTHER_VALUES = [1, 1, 2, 0.5, 7, -1.5, 0] as const;
const LATE_MS = [1, 999, 60_000, HOUR_MS, 4 * HOUR_MS, 9 * DAY_MS, -1_000, -300_000, -300_001] as const;
/** How fast time passes in a world, against the traffic of the rules: weeks and months end in some. */
const PACES = [0.5, 1, 6, 20] as const;
const INSTANTS_SHARE = 0.2;
const BESIDE_INSTANT_MS = [-1_000, -1, 0, 0, 1, 999, 1_000] as const;
const PAUSE_MS_MAX = 35 * DAY_MS;
/** Of what was refused for some time: tried again then, or at once from another time zone. */
const RETRY_SHARE = 0.2;
/** Of operations that are done again at once, as by a double click. */
const AGAIN_SHARES = { events: 0.03, other: 0.15 };
const SHARES = {
  rules: 0.75,
  import: 0.02,
  importUser: 0.04,
  correction: 0.15,
  journey: 0.03,
  reset: 0.02,
  restore: 0.006,
  restart: 0.004,
  break: 0.01,
};
/** How often operations come that are said to be frequent, against the shares. */
const FREQUENT = 10;
/** Operations that can be said to be frequent. */
export const FREQUENT_OPERATIONS = ['import', 'importUser'] as const;
export type FrequentOperation = (typeof FREQUENT_OPERATIONS)[number];

/** What differs from the usual shares. */
export interface TrafficChances {
  /** How often parts break, against a world as it is drawn (1). */
  faults?: number | undefined;
  /** The operation that comes ten times as often as usual. */
  frequent?: FrequentOperation | undefined;
}

/** Of operations that lead to another one, those that do. */
const FOLLOWED_SHARE = 0.6;
/** Of single events, those after which the user does the same some more times. */
const BURST_SHARE = 0.1;
const BURST_MAX = 3;
/** Of instants at which something changes for a user, except lapses, those at which the user does something. */
const AT_INSTANT_SHARE = 0.5;
/** Of instants, those at which rewards lapse, if any do. */
const LAPSES_SHARE = 0.3;
/** Of single events, those that take away what one event has brought. */
const FALL_SHARE = 0.06;
/** Where a date begins first, and where it begins last. */
const EAST = ['Pacific/Kiritimati', 'Pacific/Auckland'] as const;
const WEST = 'Pacific/Pago_Pago';

const PARTS = ['redis', 'postgres', 'server', 'worker'] as const;
/** After a call of an event has begun, and after the clock has begun to move. */
const BREAK_MS_MAX = { event: 8, clock: 150 } as const;
/** Of parts that break, those that hang for some time: some for longer than a server waits (processes.ts). */
const HANGS_SHARE = 0.4;
const HANG_MS = [100, 300, 1_000, 2_500] as const;
/** Events that come again after a fault have keys of their own. */
const KEYS_MAX = 1_000_000_000;

/** The traffic of the rules, and what administrators do beside it. */
export class WorldTraffic {
  readonly #ofRules: Traffic;
  readonly #random: Random;
  readonly #pace: number;
  /** How often parts break, against the shares. */
  readonly #faults: number;
  readonly #frequent: FrequentOperation | undefined;
  readonly #imports: ImportTraffic;
  /** What follows the last operation after some time. */
  #planned: Step[] = [];
  #last: WorldOperation | null = null;
  /** The user of the latest events. */
  #active: string | null = null;

  constructor(ofRules: Traffic, random: Random, { faults = 1, frequent }: TrafficChances) {
    this.#ofRules = ofRules;
    this.#random = random;
    this.#faults = faults;
    this.#frequent = frequent;
    this.#pace = random.pick(PACES);
    this.#imports = new ImportTraffic(ofRules, random, frequent !== undefined);
  }

  /** What happens next. @param instants at which something changes, ms */
  step(now: number, instants: readonly Instant[], refused: readonly RefusedOperation[]): Step {
    const step = this.#next(now, instants, refused);
    if (step.operation.op === 'record') this.#active = step.operation.events[0]!.request.user.id;
    return step;
  }

  #next(now: number, instants: readonly Instant[], refused: readonly RefusedOperation[]): Step {
    const random = this.#random;
    const planned = this.#planned.shift();
    if (planned !== undefined) {
      this.#last = planned.operation;
      return planned;
    }
    if (refused.length > 0 && random.chance(RETRY_SHARE)) return this.#retry(now, random.pick(refused));
    if (this.#last !== null && random.chance(againShare(this.#last)))
      return { pause: 0, operation: this.#last };
    const next = this.#last && nextOf(random, this.#last);
    if (next) {
      this.#last = next;
      return { pause: 0, operation: next };
    }
    const { pause, instant } = this.#pause(now, instants);
    const day = Math.floor((now + pause) / DAY_MS);
    const isLapse = instant?.claims !== undefined;
    const isOfInstant = instant !== null && (isLapse || random.chance(AT_INSTANT_SHARE));
    this.#last = isOfInstant ? this.#atInstant(instant, day) : this.#operation(day);
    const isBroken = pause > 0 && random.chance(this.#faults * SHARES.break);
    return { pause, operation: this.#last, ...(isBroken && { broken: this.#broken(BREAK_MS_MAX.clock) }) };
  }

  /** What a user does when something changes for the user. */
  #atInstant({ userId, claims }: Instant, day: number): WorldOperation {
    if (claims !== undefined) return challengeStep(userId, claims, 'claimed');
    const { metric, ...event } = this.#ofRules.event(userId, day);
    const others = Object.fromEntries(METRICS.filter((key) => key !== metric).map((key) => [key, 1]));
    return { op: 'record', events: [{ metric, ...event, ...(this.#random.chance(0.5) && { others }) }] };
  }

  #retry(now: number, { operation, until }: RefusedOperation): Step {
    const random = this.#random;
    if (operation.op === 'record' && random.chance(0.5))
      return { pause: 0, operation: sentFrom(random.pick([WEST, WEST, WEST, ...ZONES]), operation) };
    return { pause: Math.max(0, until + random.pick(BESIDE_INSTANT_MS) - now), operation };
  }

  /** How far the clock moves before the next operation, ms: often just before or after one of `instants`. */
  #pause(now: number, instants: readonly Instant[]): { pause: number; instant: Instant | null } {
    const random = this.#random;
    if (instants.length > 0 && random.chance(INSTANTS_SHARE)) {
      const lapses = instants.filter(({ claims }) => claims !== undefined);
      const instant = random.pick(lapses.length > 0 && random.chance(LAPSES_SHARE) ? lapses : instants);
      const at = instant.at + random.pick(BESIDE_INSTANT_MS);
      if (at >= now && at <= now + PAUSE_MS_MAX) return { pause: at - now, instant };
    }
    return { pause: Math.round(this.#ofRules.pause() * this.#pace), instant: null };
  }

  #operation(day: number): WorldOperation {
    const random = this.#random;
    return random.weighted<() => WorldOperation>([
      [SHARES.rules, () => this.#varied(this.#ofRules.operation(day))],
      [this.#shareOf('import'), () => this.#importPast(day)],
      [this.#shareOf('importUser'), () => this.#importUser()],
      [SHARES.correction, () => correction(random, random.pick(this.#ofRules.users))],
      [SHARES.journey, () => journey(random, random.pick(this.#ofRules.users))],
      [SHARES.reset, () => reset(this.#active ?? random.pick(this.#ofRules.users))],
      [this.#faults * SHARES.restore, () => ({ op: 'restore' })],
      [this.#faults * SHARES.restart, () => ({ op: 'restart' })],
      [this.#faults * SHARES.break, () => this.#break(day)],
    ])();
  }

  #shareOf(op: FrequentOperation): number {
    return op === this.#frequent ? SHARES[op] * FREQUENT : SHARES[op];
  }

  #importPast(day: number): ImportOperation {
    const { past, ...operation } = this.#imports.past(day);
    return { ...operation, past: past.map(({ ago, event }) => ({ ago, event: this.#withOthers(event) })) };
  }

  #importUser(): ImportUserOperation {
    const row = this.#imports.user();
    this.#planned = this.#imports.corrections(row);
    return row;
  }

  #break(day: number): Fault {
    const random = this.#random;
    const drawn = this.#withOthers(this.#ofRules.event(random.pick(this.#ofRules.users), day));
    const event = { ...drawn, key: `broken-${random.int(1, KEYS_MAX)}` };
    return { op: 'break', broken: this.#broken(BREAK_MS_MAX.event), event };
  }

  #broken(msMax: number): Break {
    const random = this.#random;
    const hangMs = random.chance(HANGS_SHARE) ? random.pick(HANG_MS) : null;
    const broken = { part: random.pick(PARTS), ms: random.int(0, msMax), primary: random.int(0, 2) };
    if (hangMs !== null) return { ...broken, hangMs };
    return broken.part === 'worker' && broken.ms % 2 === 0 ? { ...broken, afterCommit: true } : broken;
  }

  #varied(operation: Operation): WorldOperation {
    const random = this.#random;
    if (operation.op !== 'record') return operation;
    const events = operation.events.map((event) => this.#withOthers(event));
    if (random.chance(DECIDED_SHARE)) {
      const verdict = random.pick(['approve', 'approve', 'reject'] as const);
      // Twice in a row, so that cooldowns and limits hold some.
      const twice = events.flatMap((event) => [event, { ...event, key: null }]);
      return { op: 'decide', events: twice, verdict, byFilter: random.chance(0.5) };
    }
    if (events.length === 1 && random.chance(FALL_SHARE)) {
      const { request, ...event } = events[0]!;
      return { op: 'record', events: [{ ...event, request: { ...request, value: -1 } }] };
    }
    if (events.length === 1 && random.chance(LATE_SHARE)) {
      const ms = random.pick([...LATE_MS, random.int(1, 3 * HOUR_MS), random.int(1, DAY_MS)]);
      return { op: 'late', event: events[0]!, ms };
    }
    if (events.length === 1 && events[0]!.others === undefined && random.chance(UNDONE_SHARE))
      return { op: 'undo', event: events[0]! };
    if (events.length === 1 || !random.chance(BATCH_SHARE)) return { op: 'record', events };
    return {
      op: 'batch',
      events: random.chance(0.5) ? events : ofFirstUser(events),
      results: random.chance(0.7),
      strict: random.chance(0.3),
      misspelled: random.some([...events.keys()], 0.1),
      invalid: random.chance(0.05),
    };
  }

  /** Some events count for several metrics, and some of these have only one. */
  #withOthers(event: EventOperation): EventOperation {
    const random = this.#random;
    if (!random.chance(METRICS_SHARE)) return event;
    const keys = random.some(
      METRICS.filter((key) => key !== event.metric),
      0.7,
    );
    const others = Object.fromEntries(keys.map((key) => [key, random.pick(OTHER_VALUES)]));
    return { ...event, others };
  }

  /** From now on, the user has the new id. */
  rename(operation: RenameOperation): void {
    this.#ofRules.rename(operation);
  }
}

function againShare({ op }: WorldOperation): number {
  if (op === 'restore' || op === 'restart' || op === 'break') return 0;
  return ['record', 'batch', 'late', 'undo', 'decide'].includes(op)
    ? AGAIN_SHARES.events
    : AGAIN_SHARES.other;
}

/** A user travels east, where the date of a streak may be over. */
const journey = (random: Random, userId: string): Operation => ({
  op: 'identify',
  userId,
  profile: { tz: random.pick(EAST) },
});

const reset = (userId: string): Operation => ({ op: 'amend', userId, amendment: { op: 'reset' } });

/**
 * Users do something where a date begins first, and then where it begins last, perhaps as often as it is allowed: their
 * runs and days do not go back. Some begin in the west, so that they are in two runs.
 */
function onJourney(random: Random, userId: string, tz: string): Operation {
  const metric = random.pick(METRICS);
  const times = random.int(1, BURST_MAX);
  const zones = random.chance(0.5) ? [tz, WEST] : [WEST, tz, WEST];
  const events = zones.flatMap((zone) =>
    Array.from({ length: times }, () => ({
      metric,
      request: { user: { id: userId, tz: zone }, value: 1 },
      key: null,
    })),
  );
  return { op: 'record', events };
}

/** An event in the west that happened before a journey there, in runs that went on in the east; null without one. */
function beforeJourney(
  random: Random,
  { events }: Extract<Operation, { op: 'record' }>,
): LateOperation | null {
  const last = events.at(-1)!;
  const hasTravelled = events.length > 1 && last.request.user.tz === WEST;
  return hasTravelled
    ? { op: 'late', event: { ...last, key: null }, ms: random.pick([1, 999, 60_000]) }
    : null;
}

/** A user who may be in two runs leaves the leaderboards. */
function leaveRankings(random: Random, userId: string): Operation {
  return random.chance(0.5)
    ? { op: 'prefer', userId, streak: {}, isVisible: false }
    : { op: 'block', userId, seconds: null };
}

const challengeStep = (
  userId: string,
  challenge: number,
  step: Extract<Correction, { op: 'challenge' }>['step'],
): Correction => ({ op: 'challenge', userId, challenge, step, isFormer: false });

/** What an administrator's correction leads to; null if it leads to nothing. */
function nextOfCorrection(random: Random, last: WorldOperation): WorldOperation | null {
  if (last.op === 'revoke' && random.chance(0.5)) return { op: 'grantOthers', userId: last.userId };
  if (last.op === 'revoke') {
    const request = { user: { id: last.userId }, value: 1 };
    const events = METRICS.map((metric) => ({ metric, request, key: null }));
    return { op: 'record', events: [...events, ...events] };
  }
  if (last.op === 'challenge' && last.step === 'completed')
    return challengeStep(last.userId, last.challenge, 'claimed');
  if (last.op === 'hide' && last.isHidden) return { op: 'block', userId: last.userId, seconds: null };
  if (last.op === 'block' && last.seconds === null) return { ...last, seconds: 0 };
  if (last.op === 'adjust' && last.amount < 0) {
    const request = { user: { id: last.userId }, value: random.int(1, 4) };
    return { op: 'record', events: [{ metric: 'sparks', request, key: null }] };
  }
  return null;
}

/**
 * What one operation leads to; null if it leads to nothing. Administrators restore the streak that they have reset,
 * and the one that they have restored, block users whom they have hidden, and lift blocks. Users buy something after
 * they have lost points, do something after they have lost an achievement, do often what is limited, return from
 * journeys, leave leaderboards after these, and claim what they have completed.
 */
function nextOf(random: Random, last: WorldOperation): WorldOperation | null {
  if (last.op === 'record' && last.events.length === 1 && random.chance(BURST_SHARE)) {
    const again = { ...last.events[0]!, key: null };
    return { op: 'record', events: Array.from({ length: random.int(1, 5) }, () => again) };
  }
  if (last.op === 'record') return beforeJourney(random, last);
  if (last.op === 'late' && last.event.request.user.tz === WEST && random.chance(FOLLOWED_SHARE))
    return leaveRankings(random, last.event.request.user.id);
  if (last.op === 'amend' && ['reset', 'restore'].includes(last.amendment.op)) {
    const { userId } = last;
    return random.chance(FOLLOWED_SHARE) ? { op: 'amend', userId, amendment: { op: 'restore' } } : null;
  }
  if (
    last.op === 'identify' &&
    EAST.some((zone) => zone === last.profile.tz) &&
    random.chance(FOLLOWED_SHARE)
  )
    return onJourney(random, last.userId, last.profile.tz!);
  return random.chance(FOLLOWED_SHARE) ? nextOfCorrection(random, last) : null;
}

/** The same events by users who are in another time zone now. */
const sentFrom = (tz: string | null, { op, events }: Extract<Operation, { op: 'record' }>): Operation => ({
  op,
  events: events.map((event) => ({
    ...event,
    request: { ...event.request, user: { ...event.request.user, tz } },
  })),
});

function ofFirstUser(events: readonly EventOperation[]): EventOperation[] {
  const { id } = events[0]!.request.user;
  return events.map(({ request, ...event }) => ({
    ...event,
    request: { ...request, user: { ...request.user, id } },
  }));
}

function correction(random: Random, userId: string): Correction {
  const position = random.int(0, 20);
  return random.weighted<() => Correction>([
    [
      4,
      () => ({
        op: 'adjust',
        userId,
        system: position,
        amount: random.pick([1, 7, 40, 500, -1, -3, -1_000, -1_000]),
        key: random.chance(0.4) ? `ticket-${random.int(1, 3)}` : null,
      }),
    ],
    [3, () => ({ op: 'grant', userId, achievement: position })],
    [3, () => ({ op: 'revoke', userId, achievement: position })],
    [5, () => ({ op: 'hide', userId, board: position, isHidden: random.chance(0.5) })],
    [
      12,
      () => ({
        op: 'challenge',
        userId,
        challenge: position,
        step: random.pick(['joined', 'joined', 'joined', 'left', 'claimed', 'claimed', 'completed']),
        isFormer: random.chance(0.3),
      }),
    ],
    [1, () => ({ op: 'erase', userId })],
  ])();
}
