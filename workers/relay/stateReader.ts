import { type Cells, cellOf } from '../../src/base/cells.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { StatesRow } from '../../src/db/history/historyRows.ts';
import type { Scripts } from '../../src/redis/scripts/scripts.ts';
import { readPackedStates } from '../../src/redis/state/storedStates.ts';
import type { DecodedEntry } from './toHistory.ts';

/**
 * Reads the states of the users that a batch of entries changed. They are written in the transaction that
 * writes the history.
 *
 * The relay reads them because it sees every changed user, and because the outbox does not contain the whole
 * state (profile, counters with a filter, peaks, progress, tickets of leaderboards). A state that is read
 * after the entries contains their effects, so every change in the history is in some state, even if Redis is
 * lost. A state may also contain changes whose entries were not relayed before the loss: such a change keeps
 * its effect on the user and has no row in the history.
 *
 * Writing each state into the user's row would double the cost of the relay, for a row that the next batch
 * replaces. So the bytes of the script's reply are written to PostgreSQL unchanged, some hundred users in
 * each row. Once a minute src/db/history/snapshotRows.ts merges them and keeps only the last state of each
 * user.
 */
export class StateReader {
  readonly #scripts: Scripts;
  readonly #clock: Clock;
  readonly #cells: Cells;

  constructor(scripts: Scripts, clock: Clock, cells: Cells) {
    this.#scripts = scripts;
    this.#clock = clock;
    this.#cells = cells;
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
    const usersOf = new Map<number, { tenant: number; userId: string }[]>();
    for (const [tenant, userIds] of userIdsOf) {
      for (const userId of userIds) {
        const cell = cellOf(tenant, userId, this.#cells);
        const users = usersOf.get(cell);
        if (users === undefined) usersOf.set(cell, [{ tenant, userId }]);
        else users.push({ tenant, userId });
      }
    }
    const packed = await Promise.all(
      Array.from(usersOf, ([cell, users]) => readPackedStates(this.#scripts, cell, users)),
    );
    return packed.flat().map((states) => ({ readAt, ...states }));
  }
}
