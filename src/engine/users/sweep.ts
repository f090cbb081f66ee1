import type { Redis } from 'ioredis';
import { allCells, type Cells, cellsOf } from '../../base/cells.ts';
import { keys, splitTenant } from '../../redis/keys/redisKeys.ts';
import { readRecords } from '../../redis/layouts/recordLayout.ts';
import { SCORED } from '../../redis/layouts/reportLayout.ts';
import {
  endReview,
  listReviews,
  type Review,
  saveReview,
  scanUsers,
} from '../../redis/state/reviewProgress.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { atPace, type Pace } from '../availability/pace.ts';
import type { DueUser } from '../calls/retries.ts';
import type { RulesStore } from '../calls/rulesStore.ts';
import type { Settler } from '../calls/settler.ts';

/** Users that one script call settles when a caller waits for the end of the sweep. */
const USERS_PER_CALL = 100;

export interface SweepDependencies {
  redis: Redis;
  rulesStore: RulesStore;
  settler: Settler;
  cells: Cells;
}

interface DueUserOfTenant extends DueUser {
  tenant: number;
}

/** The first error of each tenant for which something failed; the other tenants go on. */
type Stuck = Map<number, unknown>;

/** One step of a sweep. */
interface Run {
  /** Seconds since 1970. */
  until: number;
  usersPerCall: number;
  usersPerPage: number;
  stuck: Stuck;
}

/**
 * Settles the users who are due, so that changes that depend on time happen in time. It reads only the index
 * `due`. A late sweep settles as of the instant that was due, and any number of sweeps settle once. All
 * tenants share the index, so tenants without a due user cost nothing.
 */
export class Sweep {
  readonly #deps: SweepDependencies;

  constructor(deps: SweepDependencies) {
    this.#deps = deps;
  }

  /** Everything in all cells until `now` (ms). */
  async run(now: number): Promise<void> {
    const cells = allCells(this.#deps.cells);
    await this.review(await this.findMarked(cells));
    await this.settleDue(cells, now);
  }

  /** The cells, of those given, that have a user due by `now` (ms). */
  async findDue(cells: readonly number[], now: number): Promise<number[]> {
    const firsts = await Promise.all(cells.map((cell) => this.#due(cell, Math.floor(now / 1000), 0, 1)));
    return cells.filter((_, i) => firsts[i]!.length > 0);
  }

  /** The cells, of those given, whose users must be reviewed because of new rules. */
  async findMarked(cells: readonly number[]): Promise<number[]> {
    const found = await Promise.all(cells.map((cell) => this.#deps.redis.exists(keys.review(cell))));
    return cells.filter((_, i) => found[i] === 1);
  }

  /**
   * Settles the due users of these cells up to `now` (ms), in the order of their due instants.
   * @throws the first error of any tenant, after the users of all other tenants have been settled
   */
  async settleDue(cells: readonly number[], now: number, pace?: Pace): Promise<void> {
    throwFirst(await this.#settle(cells, now, pace));
  }

  /** The same by the newest rules. @throws only the error of this tenant */
  async settleDueOf(tenant: number, now: number): Promise<void> {
    const cells = cellsOf(tenant, this.#deps.cells);
    for (const stuck of [await this.#review(await this.findMarked(cells)), await this.#settle(cells, now)]) {
      if (stuck.has(tenant)) throw stuck.get(tenant);
    }
  }

  async #settle(cells: readonly number[], now: number, pace?: Pace): Promise<Stuck> {
    const stuck: Stuck = new Map();
    const until = Math.floor(now / 1000);
    await atPace(pace, () => {
      const usersPerCall = pace?.usersPerCall ?? USERS_PER_CALL;
      const usersPerPage = usersPerCall * (pace?.callsAtOnce ?? 1);
      return this.#next(cells, { until, usersPerCall, usersPerPage, stuck });
    });
    return stuck;
  }

  /** Settles the users who are due first, cell by cell. @returns false when no user is due */
  async #next(cells: readonly number[], run: Run): Promise<boolean> {
    const pages = await Promise.all(cells.map((cell) => this.#firstDue(cell, run)));
    const first = Math.min(...pages.flat().map(({ due }) => due));
    if (first === Number.POSITIVE_INFINITY) return false;
    for (const page of pages) {
      const users = page.filter(({ due }) => due === first);
      await this.#step(first, users, run);
      // This cell may have more users who are due at that instant; they come before those of the next cell.
      if (users.length >= run.usersPerCall) break;
    }
    return true;
  }

  async #step(
    at: number,
    users: readonly DueUserOfTenant[],
    { until, usersPerCall, stuck }: Run,
  ): Promise<void> {
    const userIdsOf = new Map<number, string[]>();
    for (const { tenant, userId } of users) {
      const userIds = userIdsOf.get(tenant);
      if (userIds) userIds.push(userId);
      else userIdsOf.set(tenant, [userId]);
    }
    await Promise.all(
      Array.from(userIdsOf, async ([tenant, userIds]) => {
        try {
          await this.#deps.settler.step(await this.#rules(tenant), at, userIds, until, usersPerCall);
        } catch (error) {
          stuck.set(tenant, error);
        }
      }),
    );
  }

  /**
   * Reviews each user of the marked tenants in these cells once, because newer rules may make more users due.
   * The next call continues a review that is ended early.
   * @throws the first error of any tenant, after the users of all other tenants have been reviewed
   */
  async review(cells: readonly number[], pace?: Pace): Promise<void> {
    throwFirst(await this.#review(cells, pace));
  }

  async #review(cells: readonly number[], pace?: Pace): Promise<Stuck> {
    const stuck: Stuck = new Map();
    for (const cell of cells) {
      for (const review of await listReviews(this.#deps.redis, cell)) {
        try {
          await this.#reviewTenant(review, cell, pace);
        } catch (error) {
          stuck.set(review.tenant, error);
          continue;
        }
        if (pace?.signal.aborted) return stuck;
        // A version that was published meanwhile has a review of its own.
        await endReview(this.#deps.redis, cell, review);
      }
    }
    return stuck;
  }

  async #reviewTenant(begun: Review, cell: number, pace?: Pace): Promise<void> {
    const rules = await this.#deps.rulesStore.load(begun.tenant);
    let review = begun;
    await atPace(pace, async () => {
      const usersPerCall = pace?.usersPerCall ?? USERS_PER_CALL;
      const { userIds, next } = await scanUsers(this.#deps.redis, cell, review, usersPerCall);
      if (userIds.length > 0) await this.#deps.settler.review(rules, userIds);
      if (next === null) return false;
      review = next;
      await saveReview(this.#deps.redis, cell, review);
      return true;
    });
  }

  /** The users who are due first, at most a page. */
  async #firstDue(cell: number, { until, usersPerPage, stuck }: Run): Promise<DueUserOfTenant[]> {
    for (let offset = 0; ; offset += usersPerPage) {
      const page = await this.#due(cell, until, offset, usersPerPage);
      const free = page.filter(({ tenant }) => !stuck.has(tenant));
      if (free.length > 0 || page.length < usersPerPage) return free;
    }
  }

  async #due(cell: number, until: number, offset: number, count: number): Promise<DueUserOfTenant[]> {
    const range = ['-inf', String(until), 'BYSCORE', 'LIMIT', offset, count, 'WITHSCORES'] as const;
    const flat = await this.#deps.redis.zrange(keys.due(cell), ...range);
    return readRecords(SCORED, flat).map(({ member, score }) => {
      const { tenant, what: userId } = splitTenant(member);
      return { tenant, userId, due: Number(score) };
    });
  }

  /** The rules in memory, if any: the scripts refuse stale ones. */
  async #rules(tenant: number): Promise<Rules> {
    return this.#deps.rulesStore.get(tenant) ?? this.#deps.rulesStore.load(tenant);
  }
}

function throwFirst(stuck: Stuck): void {
  for (const error of stuck.values()) throw error;
}
