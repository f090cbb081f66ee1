import { cellOf } from '../base/cells.ts';
import type { Clock } from '../base/clock.ts';
import { keys } from '../redis/keys.ts';
import type { Scripts } from '../redis/scripts.ts';
import { readPackedStates, type StoredState, unpackStates } from '../redis/storedStates.ts';
import { decodeUserState, type UserState } from '../redis/userState.ts';
import type { Rules } from '../rules/rules.ts';
import type { Stores } from './stores.ts';

/** A user as Redis holds it, to be shown as of `now` (ms). */
export interface ReadUser {
  user: UserState;
  now: number;
}

/** What the reads of one turn of the event loop ask a cell for. */
interface Turn {
  users: Map<string, { tenant: number; userId: string }>;
  found: Promise<Found>;
}

interface Found {
  /** By tenant: the version of the rules in force; NaN if there are none. */
  versions: Map<number, number>;
  states: Map<string, StoredState>;
}

const nameOf = (tenant: number, userId: string): string => `${tenant}:${userId}`;

/**
 * Reads users who need no settling without the script that settles. The reads of one turn of the event loop share one call for each
 * cell.
 */
export class UserReads {
  readonly #redis: Stores['redis'];
  readonly #scripts: Scripts;
  readonly #cells: number;
  readonly #clock: Clock;
  readonly #turns = new Map<number, Turn>();

  constructor({ redis, scripts, cells, clock }: { scripts: Scripts; clock: Clock } & Pick<Stores, 'redis' | 'cells'>) {
    this.#redis = redis;
    this.#scripts = scripts;
    this.#cells = cells;
    this.#clock = clock;
  }

  /** @returns null if the user is unknown or must be settled first, or if the rules are stale */
  async read(rules: Rules, userId: string): Promise<ReadUser | null> {
    const { tenant } = rules;
    const now = this.#clock.now();
    const turn = this.#turnOf(cellOf(tenant, this.#cells));
    turn.users.set(nameOf(tenant, userId), { tenant, userId });
    const { versions, states } = await turn.found;
    const isCurrent = versions.get(tenant)! <= rules.version;
    const state = states.get(nameOf(tenant, userId));
    if (!isCurrent || state === undefined) return null;
    const user = decodeUserState(state.hot, state.cold);
    return isSettled(rules, user, now) ? { user, now } : null;
  }

  #turnOf(cell: number): Turn {
    let turn = this.#turns.get(cell);
    if (turn === undefined) {
      const users: Turn['users'] = new Map();
      const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        this.#turns.delete(cell);
        return this.#fetch(cell, [...users.values()]);
      });
      turn = { users, found };
      this.#turns.set(cell, turn);
    }
    return turn;
  }

  async #fetch(cell: number, users: { tenant: number; userId: string }[]): Promise<Found> {
    const tenants = [...new Set(users.map(({ tenant }) => tenant))];
    const [published, packed] = await Promise.all([
      Promise.all(tenants.map((tenant) => this.#redis.get(keys.version(tenant, cell)))),
      readPackedStates(this.#scripts, cell, users),
    ]);
    await this.#scripts.confirm(cell);
    const states = packed.flatMap(unpackStates);
    return {
      versions: new Map(tenants.map((tenant, i) => [tenant, Number(published[i] ?? Number.NaN)])),
      states: new Map(states.map((state) => [nameOf(state.tenant, state.userId), state])),
    };
  }
}

/**
 * Whether the state is what settling by these rules would leave (dueOf in lua/includes/schedule.lua). The end of a streak makes a user due
 * only while streaks are enabled.
 */
function isSettled(rules: Rules, { version, due, streaks }: UserState, now: number): boolean {
  const { enabled, frequency } = rules.config.streak;
  const isOfTheseRules = version >= rules.scriptTime.version && version <= rules.version;
  const isDue = due !== null && due <= Math.floor(now / 1_000);
  return isOfTheseRules && !isDue && (enabled || streaks[frequency].length === 0);
}
