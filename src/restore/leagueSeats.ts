import { cellsOf, homeCellOf } from '../base/cells.ts';
import type { RedisCommand } from '../redis/connection/pipeline.ts';
import { groupName } from '../redis/scripts/outcome.ts';
import { splitSeat } from '../redis/state/leagueGroups.ts';
import { breakdownValues } from '../redis/state/rankingEntries.ts';
import { keys, keysOfTenant } from '../redis/state/redisKeys.ts';
import type { UserState } from '../redis/state/userState.ts';
import type { RestoreContext } from './context.ts';

/**
 * Collects the last seats that users have taken in runs of leagues, so that the next user takes the seat
 * after them. A cell gives seats with its own number only, wherever those who took them live now.
 */
export class LeagueSeats {
  readonly #context: RestoreContext;
  readonly #taken = new Map<string, Map<string, number>>();

  constructor(context: RestoreContext) {
    this.#context = context;
  }

  add(user: UserState): void {
    const { rules, isFinal, tenant } = this.#context;
    for (const [no, { seat, tier }] of user.leagues) {
      const board = rules.findByNo('leaderboards', no);
      const run = user.boards.get(no)?.run;
      if (!board || run === undefined || seat === 0 || isFinal(no, run)) continue;
      const values = breakdownValues(rules, board, user);
      const { number, cell: ofSeat } = splitSeat(seat);
      const cell = this.#cellOf(ofSeat);
      if (values === null || cell === null) continue;
      const key = keys.league(tenant, cell, no, run);
      const taken = this.#taken.get(key) ?? new Map<string, number>();
      const field = keysOfTenant.seats(tier, groupName(values));
      this.#taken.set(key, taken.set(field, Math.max(taken.get(field) ?? 0, number)));
    }
  }

  commands(): RedisCommand[] {
    return Array.from(this.#taken, ([key, taken]) => ['hset', key, ...[...taken].flat()]);
  }

  /** The cell that gives seats with this number of a cell; null if no cell of the tenant does any more. */
  #cellOf(ofSeat: number): number | null {
    const { tenant, cells } = this.#context;
    if (cells.spread === 1) return ofSeat === 0 ? homeCellOf(tenant, cells) : null;
    return cellsOf(tenant, cells).includes(ofSeat - 1) ? ofSeat - 1 : null;
  }
}
