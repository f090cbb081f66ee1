import { numbers, texts } from '../bulkInsert.ts';
import type { PoolClient } from '../pool.ts';
import type { UserKey } from '../users/readUserHistory.ts';

/** Gives the number of a user in recorded_events. */
export type NumberOf = (user: UserKey) => number;

interface Numbered extends UserKey {
  no: number;
}

const FIND = {
  name: 'find user numbers',
  text: `select row.tenant, row.user_id as "userId", no
    from unnest($1::int4[], $2::text[]) as row (tenant, user_id) join user_numbers using (tenant, user_id)`,
};

/** In the order of the key, so that two relays cannot deadlock. */
const ADD = {
  name: 'add user numbers',
  text: `insert into user_numbers (tenant, user_id) select * from unnest($1::int4[], $2::text[]) order by 1, 2
    on conflict do nothing returning tenant, user_id as "userId", no`,
};

/**
 * Finds the numbers of users, and gives new users one. Runs in the transaction that writes their rows. Numbers must not be kept for
 * later transactions, because the user may have been erased.
 */
export async function numberUsers(client: PoolClient, users: readonly UserKey[]): Promise<NumberOf> {
  const numbered = new Numbers();
  let missing = users.filter((user) => numbered.await(user));
  // Another relay may add a user between FIND and ADD. ADD then waits for its commit, and the next FIND sees the number.
  for (let statement = FIND; missing.length > 0; statement = statement === FIND ? ADD : FIND) {
    const { rows } = await client.query<Numbered>({
      ...statement,
      values: [numbers<UserKey>((user) => user.tenant)(missing), texts<UserKey>((user) => user.userId)(missing)],
    });
    for (const row of rows) numbered.set(row, row.no);
    missing = missing.filter((user) => numbered.of(user) === AWAITED);
  }
  return (user) => numbered.of(user);
}

/** Instead of a number that is not known yet. */
const AWAITED = 0;

/** Numbers by tenant and user id: one look-up in each of two maps is cheaper than a text of both. */
class Numbers {
  readonly #byTenant = new Map<number, Map<string, number>>();

  of({ tenant, userId }: UserKey): number {
    return this.#byTenant.get(tenant)!.get(userId)!;
  }

  set({ tenant, userId }: UserKey, no: number): void {
    this.#byTenant.get(tenant)!.set(userId, no);
  }

  /** @returns whether the user is asked for the first time */
  await({ tenant, userId }: UserKey): boolean {
    let users = this.#byTenant.get(tenant);
    if (users === undefined) {
      users = new Map();
      this.#byTenant.set(tenant, users);
    }
    if (users.has(userId)) return false;
    users.set(userId, AWAITED);
    return true;
  }
}
