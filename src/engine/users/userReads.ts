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
}

interface UserOfTenant {
  tenant: number;
  userId: string;
}

interface Found {
  /** Version of the tenant's rules in force; NaN if there are none. */
  version: number;
  /** Absent for an unknown user. */
  state: StoredState | undefined;
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
  readonly #reads: Batcher<UserOfTenant, Found>[];

  constructor(deps: UserReadsDependencies) {
    this.#deps = deps;
    const options = { most: USER_READS_TOGETHER_MAX, isCommon: () => true };
    this.#reads = allCells(deps.cells).map(
      (cell) => new Batcher((users) => this.#fetch(cell, users), options),
    );
  }

  /** @returns null if the user is unknown or must be settled first, or if the rules are stale */
  async read(rules: Rules, userId: string): Promise<ReadUser | null> {
    const { tenant } = rules;
    const now = this.#deps.clock.now();
    const { version, state } = await this.#reads[cellOf(tenant, userId, this.#deps.cells)]!.call({
      tenant,
      userId,
    });
    const isCurrent = version <= rules.version;
    if (!isCurrent || state === undefined) return null;
    const user = decodeUserState(state.hot, state.cold);
    return isSettled(rules, user, now) ? { user, now } : null;
  }

  async #fetch(cell: number, users: readonly UserOfTenant[]): Promise<Found[]> {
    const tenants = [...new Set(users.map(({ tenant }) => tenant))];
    const [published, packed] = await Promise.all([
      Promise.all(tenants.map((tenant) => this.#deps.redis.get(keys.version(tenant, cell)))),
      readPackedStates(this.#deps.scripts, cell, users),
    ]);
    await this.#deps.scripts.confirm(cell);
    const versions = new Map(tenants.map((tenant, i) => [tenant, Number(published[i] ?? Number.NaN)]));
    const states = new Map(packed.flatMap(unpackStates).map((state) => [nameOf(state), state]));
    return users.map((user) => ({ version: versions.get(user.tenant)!, state: states.get(nameOf(user)) }));
  }
}

const nameOf = ({ tenant, userId }: UserOfTenant): string => `${tenant}:${userId}`;

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
