import { type Cells, cellsOf, homeCellOf } from '../../base/cells.ts';
import type { RedisCommand } from '../../redis/connection/pipeline.ts';
import { groupName } from '../../redis/decoding/outcome.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { keys, keysOfTenant } from '../../redis/keys/redisKeys.ts';
import { splitSeat } from '../../redis/state/leagueGroups.ts';
import { breakdownValues } from '../../redis/state/rankingEntries.ts';
import type { RestoreContext } from './context.ts';

/** A seat of a user, and the field in which Redis counts the seats of its series of groups. */
interface CountedSeat {
  leaderboard: number;
  number: number;
  key: string;
  field: string;
}

/**
 * The seats of a user in runs of leagues that are not final. A cell gives seats with its own number only,
 * wherever those who took them live now.
 */
export function seatsOf(
  { rules, isFinal, tenant, cells }: Pick<RestoreContext, 'rules' | 'isFinal' | 'tenant' | 'cells'>,
  user: UserState,
): CountedSeat[] {
  return Array.from(user.leagues).flatMap(([no, { seat, tier }]): CountedSeat[] => {
    const board = rules.findByNo('leaderboards', no);
    const run = user.boards.get(no)?.run;
    if (!board?.league || run === undefined || seat === 0 || isFinal(no, run)) return [];
    const values = breakdownValues(rules, board, user);
    const { number, cell: ofSeat } = splitSeat(seat);
    const cell = cellOfSeat(tenant, cells, ofSeat);
    if (values === null || cell === null) return [];
    const key = keys.league(tenant, cell, no, run);
    return [{ leaderboard: no, number, key, field: keysOfTenant.seats(tier, groupName(values)) }];
  });
}

/** The cell that gives seats with this number of a cell; null if no cell of the tenant does any more. */
function cellOfSeat(tenant: number, cells: Cells, ofSeat: number): number | null {
  if (cells.spread === 1) return ofSeat === 0 ? homeCellOf(tenant, cells) : null;
  return cellsOf(tenant, cells).includes(ofSeat - 1) ? ofSeat - 1 : null;
}

/** Collects the last seats that users have taken, so that the next user takes the seat after them. */
export class LeagueSeats {
  readonly #context: RestoreContext;
  readonly #taken = new Map<string, Map<string, number>>();

  constructor(context: RestoreContext) {
    this.#context = context;
  }

  add(user: UserState): void {
    for (const { key, field, number } of seatsOf(this.#context, user)) {
      const taken = this.#taken.get(key) ?? new Map<string, number>();
      this.#taken.set(key, taken.set(field, Math.max(taken.get(field) ?? 0, number)));
    }
  }

  commands(): RedisCommand[] {
    return Array.from(this.#taken, ([key, taken]) => ['hset', key, ...[...taken].flat()]);
  }
}
