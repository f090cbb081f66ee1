import type { Clock } from '../src/base/clock.ts';
import { shardOf } from '../src/base/shards.ts';
import type { StatesRow } from '../src/db/historyRows.ts';
import type { Scripts } from '../src/redis/scripts.ts';
import { readPackedStates } from '../src/redis/storedStates.ts';
import type { DecodedEntry } from './toHistory.ts';

/**
 * Reads the state of the users whom a batch of entries changed, to be written in the transaction that writes their history.
 *
 * Snapshots start here because the relay is the one place that sees every changed user, and because the outbox says what a
 * change did, not all that the state holds (profile, counters with a filter, peaks, progress, tickets of leaderboards). What
 * was read after the entries holds their effects: whatever is in the history is in some state, however Redis ends. It may also
 * hold changes that were answered 2xx a moment later and whose entries are then lost with Redis: such a change keeps its effect on
 * the user and has no row in the history.
 *
 * Writing each state into its user's row here would cost the relay about as much again as the history itself, for a row that the
 * next batch replaces. So the bytes that the script answers go into PostgreSQL as they are, some hundred users a row, and
 * src/db/snapshots.ts folds them once a minute, when of an active user's many states only the last is left.
 */
export class StateReader {
  readonly #scripts: Scripts;
  readonly #clock: Clock;
  readonly #shards: number;

  constructor(scripts: Scripts, clock: Clock, shards: number) {
    this.#scripts = scripts;
    this.#clock = clock;
    this.#shards = shards;
  }

  async read(entries: readonly DecodedEntry[]): Promise<StatesRow[]> {
    const userIdsOf = new Map<number, Set<string>>();
    for (const { tenant, changes } of entries.map(({ entry }) => entry)) {
      let userIds = userIdsOf.get(tenant);
      if (userIds === undefined) {
        userIds = new Set();
        userIdsOf.set(tenant, userIds);
      }
      for (const { change } of changes) userIds.add(change.userId);
    }
    const readAt = this.#clock.now();
    const users = Array.from(userIdsOf, ([tenant, userIds]) =>
      Array.from(userIds, (userId) => ({ tenant, shard: shardOf(userId, this.#shards), userId })),
    );
    const packed = await readPackedStates(this.#scripts, users.flat());
    return packed.map((states) => ({ readAt, ...states }));
  }
}
