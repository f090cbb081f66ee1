import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import type { Clock } from '../../base/clock.ts';
import { groupBy } from '../../base/groupBy.ts';
import { hashOfScripts } from '../../base/ids.ts';
import { readKeptMonths } from '../../db/installation.ts';
import type { Pool } from '../../db/pool.ts';
import {
  type CountedPeriod,
  type ReachedPeriods,
  readCounterHistory,
  readReachedPeriods,
} from '../../db/users/readCounterHistory.ts';
import { toRecord } from '../../redis/layouts/recordLayout.ts';
import { DAYS, MARK } from '../../redis/layouts/userLayout.ts';
import { readUserStates } from '../../redis/state/currentStates.ts';
import { periodOfDay } from '../../rules/calendar.ts';
import type { Achievement, Counter } from '../../rules/config.ts';
import { KEPT_MARKS } from '../../rules/counterMarks.ts';
import { ALL_EVENTS, counterIdentity } from '../../rules/counting.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { frequencyOf } from '../../rules/periods.ts';
import { HistoryOutdated } from '../calls/userRefusals.ts';
import type { FilledCounter, FilledUser } from '../users/userChangeRecords.ts';
import { readFilledRuns, type ToFillInRuns } from './filledRuns.ts';

/*
 * A counter counts from when something active uses it. What the user did before is in the history, from which
 * the counter is filled when the first item that uses it is activated.
 */

/** The counters of activated items (ids) that no other active item uses. */
export function countersToFill({ config }: Rules, activated: readonly string[]): Counter[] {
  const using = [
    ...config.achievements.filter(({ trigger }) => trigger === 'metric'),
    ...config.pointsTriggers.filter(({ type }) => type === 'metric'),
    ...config.leaderboards.filter(({ rankBy }) => rankBy === 'metric'),
  ].filter(({ status }) => status === 'active');
  const countersOf = (items: typeof using): Set<string> =>
    new Set(items.map((item) => counterIdentity(item.metricId!, item)));
  const isNew = ({ id }: { id: string }): boolean => activated.includes(id);
  const wanted = countersOf(using.filter(isNew));
  const filled = countersOf(using.filter((item) => !isNew(item)));
  for (const { id } of config.metrics) filled.add(counterIdentity(id, ALL_EVENTS));
  return config.counters.filter((counter) => {
    const identity = counterIdentity(counter.metricId, counter);
    return wanted.has(identity) && !filled.has(identity);
  });
}

/** The activated items (ids) that users complete in several periods. */
export const repeatsToFill = ({ config }: Rules, activated: readonly string[]): Achievement[] =>
  config.achievements.filter(({ id, repeat }) => repeat !== null && activated.includes(id));

/** What an activation reads in the history. */
export interface ToFill {
  counters: readonly Counter[];
  repeats: readonly Achievement[];
  challenges: readonly ToFillInRuns[];
}

export interface FillingDependencies {
  pool: Pool;
  redis: Redis;
  cells: Cells;
  clock: Clock;
  /** Waits until PostgreSQL has what Redis has. */
  relayed(): Promise<void>;
}

/** What the history has of some users; a user who changes meanwhile is read again. */
export class Filling {
  readonly #deps: FillingDependencies;
  readonly #rules: Rules;
  readonly #toFill: ToFill;
  readonly #filled = new Map<string, FilledUser>();

  constructor(deps: FillingDependencies, rules: Rules, toFill: ToFill) {
    this.#deps = deps;
    this.#rules = rules;
    this.#toFill = toFill;
  }

  /** Reads what the history has of users. */
  async read(users: readonly string[]): Promise<void> {
    const { counters, repeats, challenges } = this.#toFill;
    if (counters.length + repeats.length + challenges.length === 0) return;
    const { pool, redis, cells, relayed } = this.#deps;
    const states = await readUserStates(redis, this.#rules.tenant, cells, users);
    await relayed();
    const isWhole = (await readKeptMonths(pool, 'events')) === null;
    const found = new Map<string, Omit<FilledUser, 'sequence' | 'isWhole'>>(
      users.map((userId) => [userId, { counters: [], repeats: [], challenges: [] }]),
    );
    for (const counter of counters) {
      const rows = await readCounterHistory(pool, this.#rules, counter, users);
      for (const [userId, periods] of groupBy(rows, ({ userId }) => userId))
        found.get(userId)!.counters.push(filledCounter(counter, periods));
    }
    for (const achievement of repeats) {
      const counter = this.#rules.counterOf(achievement.metricId!, achievement);
      const rows = await readReachedPeriods(pool, this.#rules, counter, achievement.metricValue!, users);
      for (const row of rows) found.get(row.userId)!.repeats.push(filledRepeats(achievement, row));
    }
    const known = users.flatMap((userId, i) => (states[i] ? { userId, user: states[i] } : []));
    const now = this.#deps.clock.now();
    for (const toFill of challenges)
      for (const [userId, run] of await readFilledRuns(pool, this.#rules, toFill, known, { isWhole, now }))
        found.get(userId)!.challenges.push(run);
    for (const [i, userId] of users.entries()) {
      const sequence = states[i]?.sequence;
      if (sequence !== undefined) this.#filled.set(userId, { sequence, isWhole, ...found.get(userId)! });
    }
  }

  /**
   * Does something with what the history has of a user, again if the user has changed since.
   * @returns false if the user changes all the time
   */
  async fill(userId: string, use: (filled: FilledUser | null) => Promise<unknown>): Promise<boolean> {
    for (let tries = 1; tries <= TRIES_MAX; tries++) {
      if (tries > 1) await this.read([userId]);
      try {
        await use(this.#filled.get(userId) ?? null);
        return true;
      } catch (error) {
        if (!(error instanceof HistoryOutdated)) throw error;
      }
    }
    return false;
  }
}

/** A user who changes in all of these tries is processed after the others. */
const TRIES_MAX = 3;

/** @param periods the latest first, at least one */
function filledCounter(counter: Counter, periods: CountedPeriod[]): FilledCounter {
  const { total, peak, days, values } = periods[0]!;
  const { no, per = null } = counter;
  const remembers = per !== null || days !== null || values !== null;
  return { counter: no, total, peak, marks: remembers && periods.flatMap((one) => markOf(counter, one)) };
}

const filledRepeats = ({ no, repeat }: Achievement, { times, firstDays }: ReachedPeriods) => ({
  achievement: no,
  times,
  periods: firstDays.map((day) => periodOfDay(frequencyOf(repeat!), day)),
});

function markOf({ per = null }: Counter, { firstDay, total, days, values }: CountedPeriod): unknown[] {
  const memory = days !== null ? daysOf(days) : values !== null ? values.map(hashOfScripts) : false;
  return toRecord(MARK, {
    period: per === null ? 0 : periodOfDay(frequencyOf(per), firstDay!),
    total: per === null ? 0 : total,
    memory: memory as number[] | false,
  });
}

function daysOf(days: readonly number[]): unknown[] {
  const last = Math.max(...days);
  const kept = days.filter((day) => day > last - KEPT_MARKS.days);
  return toRecord(DAYS, { last, bits: kept.reduce((bits, day) => bits + 2 ** (last - day), 0) });
}
