import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { RulesStore } from './rulesStore.ts';

/** Zones whose calendars a call of many due users takes along before it is asked for one. */
const CALL_ZONES_MAX = 64;

/**
 * A script may ask for newer rules, for the user's zone and the one the user moves from, and for the user to
 * be settled.
 */
const CALL_TRIES_MAX = 8;
/** Wait before the next try for a user who is held (lua/includes/importHold.lua). */
const HELD_WAIT_MS = 250;

/** Reply of a script that needs a calendar or a settled user before it changes anything. */
export type Demand = Extract<Outcome, { status: 'zoneNeeded' | 'due' | 'keyUnknown' }>;

/** A user for whom a script is called until it succeeds or refuses. */
export interface ScriptAttempt {
  readonly userId: string;
  /** Time zones whose calendars the call takes along. */
  readonly zones: string[];
  tries: number;
}

/** A user and when to settle it, seconds since 1970. */
export interface DueUser {
  userId: string;
  due: number;
}

/** Brings users up to `now` (ms). */
export interface Settling {
  settle(rules: Rules, users: readonly DueUser[], now: number): Promise<void>;
}

interface RetriesDependencies {
  rulesStore: RulesStore;
  zones: RememberedZones;
  clock: Clock;
  /** null for scripts that never answer `due`. */
  settling: Settling | null;
}

/** The attempts of one call that are not done. */
export interface Undone<T extends ScriptAttempt> {
  /** To be made again at once: the calendar that was missing goes along. */
  again: T[];
  /** To be made again once `dueUsers` are settled. */
  afterSettling: T[];
  dueUsers: DueUser[];
  /** To be made again once PostgreSQL has been asked about their idempotency keys. */
  afterAsking: T[];
}

/** An attempt that is done, with the rules and the time (ms) of the call that did it. */
export interface Done<T extends ScriptAttempt, O> {
  attempt: T;
  answer: Exclude<O, Demand>;
  rules: Rules;
  now: number;
}

/**
 * The protocol of all scripts about users. A call takes along the rules that the server holds and the
 * calendars of the zones in which it believes the users to be. The script compares, and does its work for a
 * user or asks for what it needs first:
 *
 * | answer                  | before the next try                                             |
 * |-------------------------|-----------------------------------------------------------------|
 * | none: rules are stale   | load the published rules (`reload`), prepare the attempts again |
 * | zoneNeeded              | take along the calendar of this zone (`sort`)                   |
 * | due                     | settle the user (`sort` and `settle`)                           |
 * | keyUnknown              | ask PostgreSQL about the idempotency key (the event queue)      |
 * | streakKnown             | ask the history about the imported streak (importUsers.ts)      |
 * | anything else           | done                                                            |
 *
 * `untilDone` is the whole protocol. The event queue, whose attempts wait for each other in the order of a
 * user's events, calls its steps itself.
 */
export class Retries {
  readonly #deps: RetriesDependencies;

  constructor(deps: RetriesDependencies) {
    this.#deps = deps;
  }

  /** @param zone of the user, if the request names it */
  begin(rules: Rules, userId: string, zone?: string | null): ScriptAttempt {
    return { userId, zones: [this.zoneOf(rules, userId, zone)], tries: 0 };
  }

  /** The zone in which a user is believed to be. */
  zoneOf(rules: Rules, userId: string, zone?: string | null): string {
    return zone ?? this.#deps.zones.get(rules.tenant, userId) ?? rules.config.settings.defaultTimeZone;
  }

  /** The zones of users of a tenant that scripts asked for last. */
  zonesOf({ tenant }: Rules): string[] {
    return this.#deps.zones.ofTenant(tenant);
  }

  /** The rules in place of stale ones. */
  reload(rules: Rules): Promise<Rules> {
    return this.#deps.rulesStore.load(rules.tenant);
  }

  /**
   * Newer rules after a refusal: another server may have published them a moment ago.
   * @throws the refusal when there are no newer rules; ServiceError when they are those of another tenant
   */
  async newerRules(rules: Rules, refusal: unknown): Promise<Rules> {
    const newer = refusal instanceof ServiceError ? await this.#deps.rulesStore.loadNewer(rules) : null;
    if (newer === null) throw refusal;
    newer.assertSameId(rules);
    return newer;
  }

  /**
   * Sorts the attempts of a call by its answers, which are in the same order; `finish` takes those that are
   * done.
   */
  sort<T extends ScriptAttempt, O extends { status: string }>(
    { tenant }: Rules,
    attempts: readonly T[],
    answers: readonly O[],
    finish: (attempt: T, answer: Exclude<O, Demand>) => void,
  ): Undone<T> {
    const undone: Undone<T> = { again: [], afterSettling: [], dueUsers: [], afterAsking: [] };
    for (let i = 0; i < attempts.length; i++) {
      const attempt = attempts[i]!;
      const answer = answers[i]!;
      if (!isDemand(answer)) {
        finish(attempt, answer as Exclude<O, Demand>);
      } else if (answer.status === 'due') {
        undone.afterSettling.push(attempt);
        undone.dueUsers.push({ userId: attempt.userId, due: answer.at });
      } else if (answer.status === 'keyUnknown') {
        undone.afterAsking.push(attempt);
      } else {
        this.#deps.zones.set(tenant, attempt.userId, answer.zone);
        attempt.zones.push(answer.zone);
        undone.again.push(attempt);
      }
    }
    return undone;
  }

  /** Settles users before their attempts are made again. Those who are due later are held by an import. */
  async settle(rules: Rules, users: readonly DueUser[], now: number): Promise<void> {
    if (users.length === 0) return;
    await this.#deps.settling!.settle(rules, users, now);
    if (users.some(({ due }) => due * 1000 > now)) await sleep(HELD_WAIT_MS);
  }

  /**
   * Counts a try that did not do the work.
   * @throws ServiceError `unavailable` after the last one
   */
  countTry(attempt: ScriptAttempt): void {
    attempt.tries++;
    if (attempt.tries < CALL_TRIES_MAX) return;
    throw new ServiceError(
      'unavailable',
      "The configuration is changing, the user's history is being imported, or the user gets another id; try again",
    );
  }

  /**
   * Calls a script until all attempts are done.
   * @param call makes one call for the attempts that are left and returns an answer for each; null when the
   * rules are stale
   * @throws ServiceError `unavailable` when something keeps changing, and whatever `call` throws
   */
  async untilDone<T extends ScriptAttempt, O extends { status: string }>(
    rulesAtFirst: Rules,
    attempts: readonly T[],
    call: (rules: Rules, left: readonly T[], now: number) => Promise<O[] | null>,
  ): Promise<Done<T, O>[]> {
    const done: Done<T, O>[] = [];
    let rules = rulesAtFirst;
    let left = attempts;
    while (left.length > 0) {
      const now = this.#deps.clock.now();
      const answers = await call(rules, left, now);
      if (answers === null) {
        rules = await this.reload(rules);
      } else {
        const finish = (attempt: T, answer: Exclude<O, Demand>) => done.push({ attempt, answer, rules, now });
        const { again, afterSettling, dueUsers } = this.sort(rules, left, answers, finish);
        await this.settle(rules, dueUsers, now);
        left = [...again, ...afterSettling];
      }
      for (const attempt of left) this.countTry(attempt);
    }
    return done;
  }
}

function isDemand(answer: { status: string }): answer is Demand {
  return answer.status === 'zoneNeeded' || answer.status === 'due' || answer.status === 'keyUnknown';
}

const ZONES_REMEMBERED_MAX = 200_000;

/** What is remembered of a tenant. */
interface TenantZones {
  ofUsers: Map<string, string>;
  /** The newest zones, the newest last, for calls that take many users along. */
  newest: Set<string>;
}

/**
 * The time zones of users whose requests do not name one. They are a guess that saves a round trip: the
 * scripts compare. The oldest entries of the tenant that came first go first.
 */
export class RememberedZones {
  readonly #tenants = new Map<number, TenantZones>();
  #size = 0;

  get(tenant: number, userId: string): string | undefined {
    return this.#tenants.get(tenant)?.ofUsers.get(userId);
  }

  ofTenant(tenant: number): string[] {
    return [...(this.#tenants.get(tenant)?.newest ?? [])];
  }

  set(tenant: number, userId: string, zone: string): void {
    let zones = this.#tenants.get(tenant);
    if (zones === undefined) {
      zones = { ofUsers: new Map(), newest: new Set() };
      this.#tenants.set(tenant, zones);
    }
    this.#size -= zones.ofUsers.size;
    zones.ofUsers.set(userId, zone);
    this.#size += zones.ofUsers.size;
    remember(zones.newest, zone);
    if (this.#size > ZONES_REMEMBERED_MAX) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [tenant] = this.#tenants.keys();
    const { ofUsers } = this.#tenants.get(tenant!)!;
    const [oldest] = ofUsers.keys();
    ofUsers.delete(oldest!);
    this.#size--;
    if (ofUsers.size === 0) this.#tenants.delete(tenant!);
  }
}

/** Puts a zone at the end of the newest ones. */
function remember(newest: Set<string>, zone: string): void {
  newest.delete(zone);
  newest.add(zone);
  const [oldest] = newest;
  if (newest.size > CALL_ZONES_MAX) newest.delete(oldest!);
}
