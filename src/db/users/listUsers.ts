import { USERS_EXAMINED_MAX } from '../../base/limits.ts';
import { all, type Rows } from '../rows.ts';
import { raw, sql } from '../sql.ts';
import { activityOf } from './readActivity.ts';
import { dayAfterActivity, isFiltered, matches, type UserFilter } from './userFilter.ts';
import { BY_ID_PREFIX, ID, ORDERS, type Order, SEARCH_ORDERS, type UserOrder } from './userOrders.ts';

/**
 * Pages of the list of users. A call examines at most USERS_EXAMINED_MAX candidates in the order of an index
 * and returns those that match the filter. Its cost is therefore bounded for every filter; a page may be
 * short although more users follow.
 */

/** Position of the last user of the previous page. */
export interface UserPosition {
  order: UserOrder;
  /** Sort key of that user. */
  key: number | string;
  userId: string;
}

export interface ListedUserRow {
  userId: string;
  /** Day ordinal of the last event; null if the user had no event. */
  lastActive: number | null;
}

export interface UserPage {
  users: ListedUserRow[];
  /** null on the last page. */
  next: UserPosition | null;
}

interface FoundRow {
  /** null if no candidate matches. */
  userId: string | null;
  key: number | string;
  lastActive: number | null;
  examined: number;
  lastKey: number | string;
  lastUserId: string;
}

async function readPage(
  rows: Rows,
  tenant: number,
  filter: UserFilter,
  query: string | null,
  { order, key, userId }: UserPosition | { order: UserOrder; key: null; userId: null },
  limit: number,
): Promise<UserPage> {
  const isPrefix = order === 'id' && query !== null;
  const examined = isFiltered(filter) ? USERS_EXAMINED_MAX : limit;
  const by: Order = isPrefix ? BY_ID_PREFIX : ORDERS[order];
  const isDown = by.direction === 'desc';
  const [down, up, beyond] = (isDown ? ['desc', 'asc', '<'] : ['asc', 'desc', '>']).map(raw);
  const start = sql`and (${by.key}, ${ID}) ${beyond} (${by.given(key ?? '')}, ${userId}::text collate "C")`;
  const found = await all(rows)<FoundRow>`
    with candidates as materialized (
      select u.user_id collate "default" as user_id, ${by.shown} as key from ${by.from}
      where u.tenant = ${tenant} and ${by.where(filter, query)} ${userId === null ? sql`` : start}
      order by ${by.key} ${down}, ${ID} ${down} limit ${examined}
    ), matching as (
      select candidates.user_id, candidates.key, ${dayAfterActivity('activity')} - 1 as last_active
      from candidates
      join users on users.tenant = ${tenant} and users.user_id = candidates.user_id
      left join lateral ${activityOf(tenant, raw('candidates.user_id'))} as activity on true
      where ${matches(tenant, filter)}
      order by candidates.key ${down}, candidates.user_id collate "C" ${down} limit ${limit}
    )
    select matching.user_id as "userId", matching.key, matching.last_active as "lastActive", examined.*
    from (
      select count(*)::integer as examined,
        (array_agg(key order by key ${up}, user_id collate "C" ${up}))[1] as "lastKey",
        (array_agg(user_id order by key ${up}, user_id collate "C" ${up}))[1] as "lastUserId"
      from candidates
    ) as examined left join matching on true
    order by matching.key ${down}, matching.user_id collate "C" ${down}`;
  const users = found.filter((row): row is FoundRow & { userId: string } => row.userId !== null);
  const [first] = found;
  const last = users.at(-1);
  if (users.length === limit && last) return { users, next: { order, key: last.key, userId: last.userId } };
  if (first!.examined < examined) return { users, next: null };
  return { users, next: { order, key: first!.lastKey, userId: first!.lastUserId } };
}

/**
 * A page of the users of a tenant.
 * @param query start of the id, of the name, of the email address or of a later word of these two, in this
 * order; null for all users in the given order
 * @param position `next` of the previous page; null for the first page
 */
export async function listUsers(
  rows: Rows,
  tenant: number,
  filter: UserFilter,
  {
    query,
    order,
    position,
    limit,
  }: { query: string | null; order: UserOrder; position: UserPosition | null; limit: number },
): Promise<UserPage> {
  const start = { order, key: null, userId: null };
  if (query === null) return readPage(rows, tenant, filter, null, position ?? start, limit);
  const users: ListedUserRow[] = [];
  let from: Parameters<typeof readPage>[4] = position ?? { ...start, order: SEARCH_ORDERS[0]! };
  for (;;) {
    const page = await readPage(rows, tenant, filter, query, from, limit - users.length);
    users.push(...page.users);
    if (page.next !== null) return { users, next: page.next };
    const after: UserOrder | undefined = SEARCH_ORDERS[SEARCH_ORDERS.indexOf(from.order) + 1];
    if (after === undefined) return { users, next: null };
    from = { order: after, key: null, userId: null };
    if (users.length === limit) return { users, next: { order: after, key: '', userId: '' } };
  }
}

/** The first users by id. */
export const readFirstUsers = (
  rows: Rows,
  tenant: number,
  count: number,
): Promise<{ userId: string; name: string | null }[]> =>
  all(rows)`
    select user_id as "userId", name from users where tenant = ${tenant}
    order by user_id collate "C" limit ${count}`;
