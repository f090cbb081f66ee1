import { Batcher } from '../../base/batcher.ts';
import { allCells, cellOf } from '../../base/cells.ts';
import type { Clock } from '../../base/clock.ts';
import { decodeUserState, type UserState } from '../../redis/decoding/userState.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { type AskedUser, type FoundUser, readUsers } from '../../redis/state/readUsers.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { Stores } from '../stores/stores.ts';

/** Users of a cell whom a server reads in one call. */
const USER_READS_TOGETHER_MAX = 500;

/** A user as Redis holds it, to be shown as of `now` (ms). */
export interface ReadUser {
  user: UserState;
  now: number;
  /** What Redis keeps of the user's history, if it was read (src/redis/decoding/keptHistory.ts). */
  keptList?: readonly Buffer[] | undefined;
}

interface UserReadsDependencies extends Pick<Stores, 'cells'> {
  scripts: Scripts;
  clock: Clock;
}

/**
 * Reads users who need no settling, without the script that settles. Reads of users of a cell are made
 * together.
 */
export class UserReads {
  readonly #deps: UserReadsDependencies;
  /** By cell. */
  readonly #reads: Batcher<AskedUser, FoundUser>[];

  constructor(deps: UserReadsDependencies) {
    this.#deps = deps;
    const options = { most: USER_READS_TOGETHER_MAX, isCommon: () => true };
    this.#reads = allCells(deps.cells).map(
      (cell) => new Batcher((users) => this.#fetch(cell, users), options),
    );
  }

  /**
   * @param withHistory whether to read what Redis keeps of the user's history, too
   * @returns null if the user is unknown or must be settled first, or if the rules are stale
   */
  async read(rules: Rules, userId: string, withHistory: boolean): Promise<ReadUser | null> {
    const { tenant } = rules;
    const now = this.#deps.clock.now();
    const reads = this.#reads[cellOf(tenant, userId, this.#deps.cells)]!;
    const { version, hot, cold, keptList } = await reads.call({ tenant, userId, withHistory });
    if (version > rules.version || hot.length === 0) return null;
    const user = decodeUserState(hot, cold);
    return isSettled(rules, user, now) ? { user, now, ...(withHistory && { keptList }) } : null;
  }

  async #fetch(cell: number, users: readonly AskedUser[]): Promise<FoundUser[]> {
    const confirm = this.#deps.scripts.watch(cell);
    const found = await readUsers(this.#deps.scripts, cell, users);
    await confirm();
    return found;
  }
}

/**
 * Whether settling by these rules would change nothing (dueOf in lua/includes/schedule.lua). The end of a
 * streak makes a user due only while streaks are enabled.
 */
function isSettled(rules: Rules, { version, due, streaks }: UserState, now: number): boolean {
  const { enabled, frequency } = rules.config.streak;
  const isOfTheseRules = version >= rules.scriptTime.version && version <= rules.version;
  const isDue = due !== null && due <= Math.floor(now / 1_000);
  return isOfTheseRules && !isDue && (enabled || streaks[frequency].length === 0);
}
