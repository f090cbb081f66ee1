import { BulkStatement } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import { type UserKey, UserMap } from '../users/userMap.ts';

/** Gives the number of a user in recorded_events. */
export type NumberOf = (user: UserKey) => number;

interface Numbered extends UserKey {
  no: number;
}

const FIND = new BulkStatement<UserKey, Numbered>(
  { tenant: 'int4', userId: 'text' },
  ({ rows }) =>
    `select row.tenant, row.user_id as "userId", no from ${rows} join user_numbers using (tenant, user_id)`,
);

/** In the order of the key, so that two relays cannot deadlock. */
const ADD = new BulkStatement<UserKey, Numbered>(
  { tenant: 'int4', userId: 'text' },
  ({ insertInto }) => `${insertInto('user_numbers')} order by 1, 2
    on conflict do nothing returning tenant, user_id as "userId", no`,
);

/**
 * Finds the numbers of users, and gives new users one. Runs in the transaction that writes their rows.
 * Numbers must not be kept for later transactions, because the user may have been erased.
 */
export async function numberUsers(client: PoolClient, users: readonly UserKey[]): Promise<NumberOf> {
  const numbered = new UserMap<number>();
  let missing: UserKey[] = [];
  for (const user of users) {
    if (numbered.has(user)) continue;
    numbered.set(user, AWAITED);
    missing.push(user);
  }
  // Another relay may add a user between FIND and ADD. ADD then waits for its commit, and the next FIND sees
  // the number.
  for (let adds = false; missing.length > 0; adds = !adds) {
    for (const row of await (adds ? ADD : FIND).run(client, missing, false)) numbered.set(row, row.no);
    missing = missing.filter((user) => numbered.get(user) === AWAITED);
  }
  return (user) => numbered.get(user)!;
}

/** Instead of a number that is not known yet. */
const AWAITED = 0;
