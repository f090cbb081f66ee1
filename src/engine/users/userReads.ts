import { Batcher } from '../../base/batcher.ts';
import { allCells, cellOf } from '../../base/cells.ts';
import type { Clock } from '../../base/clock.ts';
import { decodeUserState, type UserState } from '../../redis/decoding/userState.ts';
import { keys } from '../../redis/keys/redisKeys.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import { readPackedStates, type StoredState, unpackStates } from '../../redis/state/storedStates.ts';
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

interface AskedUser {
  tenant: number;
  userId: string;
  withHistory: boolean;
}

interface Found {
  /** Version of the tenant's rules in force; NaN if there are none. */
  version: number;
  /** Absent for an unknown user. */
  state: StoredState | undefined;
  keptList: Buffer[] | undefined;
}

interface UserReadsDependencies extends Pick<Stores, 'redis' | 'cells'> {
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
  readonly #reads: Batcher<AskedUser, Found>[];

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
    const { version, state, keptList } = await reads.call({ tenant, userId, withHistory });
    const isCurrent = version <= rules.version;
    if (!isCurrent || state === undefined) return null;
    const user = decodeUserState(state.hot, state.cold);
    return isSettled(rules, user, now) ? { user, now, keptList } : null;
  }

  async #fetch(cell: number, users: readonly AskedUser[]): Promise<Found[]> {
    const tenants = [...new Set(users.map(({ tenant }) => tenant))];
    const [published, packed, keptLists] = await Promise.all([
      Promise.all(tenants.map((tenant) => this.#deps.redis.get(keys.version(tenant, cell)))),
      readPackedStates(this.#deps.scripts, cell, users),
      // Behind the states: a history with later changes serves, one that lacks a change does not.
      this.#readKeptLists(cell, users),
    ]);
    await this.#deps.scripts.confirm(cell);
    const versions = new Map(tenants.map((tenant, i) => [tenant, Number(published[i] ?? Number.NaN)]));
    const states = new Map(packed.flatMap(unpackStates).map((state) => [nameOf(state), state]));
    return users.map((user, i) => ({
      version: versions.get(user.tenant)!,
      state: states.get(nameOf(user)),
      keptList: keptLists[i],
    }));
  }

  #readKeptLists(cell: number, users: readonly AskedUser[]): Promise<(Buffer[] | undefined)[]> {
    const read = async ({ tenant, userId, withHistory }: AskedUser): Promise<Buffer[] | undefined> =>
      withHistory ? this.#deps.redis.lrangeBuffer(keys.history(tenant, cell, userId), 0, -1) : undefined;
    return Promise.all(users.map(read));
  }
}

const nameOf = ({ tenant, userId }: { tenant: number; userId: string }): string => `${tenant}:${userId}`;

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
