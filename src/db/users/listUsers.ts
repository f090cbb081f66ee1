import { USERS_EXAMINED_MAX } from '../../base/limits.ts';
import type { Rows } from '../rows.ts';
import { activityOf } from './readActivity.ts';
import { dayAfterActivity, filterValues, isFiltered, MATCHES, type UserFilter } from './userFilter.ts';
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

/** Parameters: $2 candidates, $3 users, $4 and $5 position, $6 searched text, then the filter. */
function pageStatement({ from, key, shown, given, direction, where }: Order, isFirst: boolean): string {
  const beyond = direction === 'desc' ? '<' : '>';
  const start = isFirst
    ? '$4::text is null and $5::text is null'
    : `(${key}, ${ID}) ${beyond} (${given}, $5::text collate "C")`;
  return `with candidates as materialized (
      select u.user_id collate "default" as user_id, ${shown} as key from ${from}
      where u.tenant = $1 and ${where} and ${start}
      order by ${key} ${direction}, ${ID} ${direction} limit $2
    ), matching as (
      select candidates.user_id, candidates.key, ${dayAfterActivity('activity')} - 1 as last_active
      from candidates
      join users on users.tenant = $1 and users.user_id = candidates.user_id
      left join lateral ${activityOf('$1', 'candidates.user_id')} as activity on true
      where ${MATCHES}
      order by candidates.key ${direction}, candidates.user_id collate "C" ${direction} limit $3
    )
    select matching.user_id as "userId", matching.key, matching.last_active as "lastActive", examined.*
    from (
      select count(*)::integer as examined,
        (array_agg(key order by key ${reverse(direction)}, user_id collate "C" ${reverse(direction)}))[1] as "lastKey",
        (array_agg(user_id order by key ${reverse(direction)}, user_id collate "C" ${reverse(direction)}))[1] as "lastUserId"
      from candidates
    ) as examined left join matching on true
    order by matching.key ${direction}, matching.user_id collate "C" ${direction}`;
}

const reverse = (direction: 'asc' | 'desc'): 'asc' | 'desc' => (direction === 'desc' ? 'asc' : 'desc');

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
  const found = await rows<FoundRow>(
    {
      name: `users by ${order}${isPrefix ? ' prefix' : ''}${userId === null ? '' : ' from a position'}`,
      text: pageStatement(isPrefix ? BY_ID_PREFIX : ORDERS[order], userId === null),
    },
    [tenant, examined, limit, key, userId, query, ...filterValues(filter)],
  );
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
