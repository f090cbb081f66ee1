import type {
  ActivityRow,
  LeaderboardChangeRow,
  PointsTotalRow,
  ProfileRow,
  StreakStandingRow,
  UserAttributeRow,
} from '../../src/db/history/historyRows.ts';
import { UserMap } from '../../src/db/users/userMap.ts';

/**
 * The rows of one user in a batch that further changes of the user are merged into. A user has few, so they
 * are searched in turn.
 */
export interface BatchUser {
  readonly tenant: number;
  readonly userId: string;
  totals: readonly PointsTotalRow[];
  attributes: readonly UserAttributeRow[];
  streaks: readonly StreakStandingRow[];
  ranks: readonly LeaderboardChangeRow[];
  activity: readonly ActivityRow[];
  profile: { row: ProfileRow; json: string } | null;
}

/** The list with one more row. Most users have one, and a list that grows reserves room for 17. */
export const withRow = <R>(rows: readonly R[], row: R): readonly R[] =>
  rows.length === 0 ? [row] : [...rows, row];

const NO_ROWS = { totals: [], attributes: [], streaks: [], ranks: [], activity: [] };

/** The users of a batch. One look-up for each change replaces one for each of its effects. */
export class BatchRows {
  readonly #users = new UserMap<BatchUser>();

  of(tenant: number, userId: string): BatchUser {
    const known = this.#users.get({ tenant, userId });
    if (known !== undefined) return known;
    const user = { tenant, userId, ...NO_ROWS, profile: null };
    this.#users.set(user, user);
    return user;
  }
}
