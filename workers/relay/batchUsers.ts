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
  totals: PointsTotalRow[];
  attributes: UserAttributeRow[];
  streaks: StreakStandingRow[];
  ranks: LeaderboardChangeRow[];
  activity: ActivityRow[];
  profile: { row: ProfileRow; json: string } | null;
}

/** Length from which a list grows in place. */
const GROWS_FROM = 4;

/**
 * The list with one more row. Most users have one, and a list that grows reserves room for 17; an import
 * brings hundreds.
 */
export function withRow<R>(rows: R[], row: R): R[] {
  if (rows.length < GROWS_FROM) return [...rows, row];
  rows.push(row);
  return rows;
}

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
