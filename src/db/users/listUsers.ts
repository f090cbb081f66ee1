import { USERS_EXAMINED_MAX } from '../../base/limits.ts';
import type { Rows } from '../rows.ts';
import { INSTANT, MILLISECONDS } from '../sql.ts';
import { ANY_METRIC, activityOf } from './readActivity.ts';

/**
 * Pages of the list of users. A call examines at most USERS_EXAMINED_MAX candidates in the order of an index
 * and returns those that match the filter. Its cost is therefore bounded for every filter; a page may be
 * short although more users follow.
 */

/**
 * Instants are milliseconds since 1970, days ordinals in the tenant's time zone; all bounds are inclusive.
 */
export interface UserFilter {
  control: boolean | null;
  createdFrom: number | null;
  createdUntil: number | null;
  activeFrom: number | null;
  activeUntil: number | null;
  /** Values that users must have, by attribute number. */
  attributes: ReadonlyMap<number, string>;
}

/** Order of the candidates; `name` and `email` are used only by a search. */
export type UserOrder = 'created' | 'active' | 'id' | 'name' | 'email';

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

interface Order {
  /** FROM clause; its alias `u` has the column user_id. */
  from: string;
  /** Sort key, written as in the index. */
  key: string;
  /** Sort key as it is stored in a position. */
  shown: string;
  /** Converts a position's key to the type of the index. */
  given: string;
  direction: 'asc' | 'desc';
  where: string;
}

const ID = 'u.user_id collate "C"';
const PREFIX = (column: string): string => `left(lower(${column}), 100) collate "C"`;
/** Range of all texts with a prefix: from the prefix to the prefix followed by the highest code point. */
const startsWith = (key: string, prefix: string): string =>
  `${key} >= ${prefix} collate "C" and ${key} < (${prefix} || chr(1114111)) collate "C"`;
const ID_STARTS = startsWith(ID, '$9::text');
const starts = (column: string): string => startsWith(PREFIX(column), 'lower($9::text)');

const search = (column: string, before: string): Order => ({
  from: 'users u',
  key: PREFIX(column),
  shown: PREFIX(column),
  given: '$10::text collate "C"',
  direction: 'asc',
  where: `${column} is not null and ${starts(column)} and not (${ID_STARTS}) ${before}`,
});

const ORDERS: Record<UserOrder, Order> = {
  created: {
    from: 'users u',
    key: 'u.created_at',
    shown: MILLISECONDS('u.created_at'),
    given: INSTANT('$10::float8'),
    direction: 'desc',
    where: '$9::text is null',
  },
  active: {
    from: `user_activity u`,
    key: 'u.first_day + length(u.days)',
    shown: 'u.first_day + length(u.days)',
    given: '$10::integer',
    direction: 'desc',
    where: `$9::text is null and u.metric = ${ANY_METRIC}`,
  },
  id: {
    from: 'users u',
    key: ID,
    shown: ID,
    given: '$10::text collate "C"',
    direction: 'asc',
    where: '$9::text is null',
  },
  // Each search excludes the users that an earlier one finds: by id, then by name.
  name: search('u.name', ''),
  email: search('u.email', `and not coalesce(${starts('u.name')}, false)`),
};

const BY_ID_PREFIX: Order = { ...ORDERS.id, where: ID_STARTS };

/** Parameters: $3 to $8 filter, $9 searched text, $10 and $11 position, $12 number of rows. */
const MATCHES = `($3::boolean is null or users.control = $3)
  and ($4::float8 is null or users.created_at >= ${INSTANT('$4')})
  and ($5::float8 is null or users.created_at <= ${INSTANT('$5')})
  and ($6::integer is null or activity.first_day + length(activity.days) - 1 >= $6)
  and ($7::integer is null or activity.first_day + length(activity.days) - 1 <= $7)
  and ($8::text is null or not exists (
    select from jsonb_each_text($8::jsonb) as wanted (attribute, value)
    where not exists (
      select from user_attributes has
      where has.tenant = $1 and has.user_id = candidates.user_id and has.attribute = wanted.attribute::integer
        and has.value = wanted.value)))`;

function pageStatement(order: Order, isFirst: boolean): string {
  const { from, key, shown, given, direction, where } = order;
  const beyond = direction === 'desc' ? '<' : '>';
  const start = isFirst
    ? '$10::text is null and $11::text is null'
    : `(${key}, ${ID}) ${beyond} (${given}, $11::text collate "C")`;
  return `with candidates as materialized (
      select u.user_id, ${shown} as key from ${from}
      where u.tenant = $1 and ${where} and ${start}
      order by ${key} ${direction}, ${ID} ${direction} limit $2
    ), matching as (
      select candidates.user_id, candidates.key, activity.first_day + length(activity.days) - 1 as last_active
      from candidates
      join users on users.tenant = $1 and users.user_id = candidates.user_id
      left join lateral ${activityOf('$1', 'candidates.user_id')} as activity on true
      where ${MATCHES}
      order by candidates.key ${direction}, candidates.user_id collate "C" ${direction} limit $12
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
  const { control, createdFrom, createdUntil, activeFrom, activeUntil } = filter;
  const bounds = [control, createdFrom, createdUntil, activeFrom, activeUntil];
  const isFiltered = filter.attributes.size > 0 || bounds.some((bound) => bound !== null);
  const examined = isFiltered ? USERS_EXAMINED_MAX : limit;
  const attributes =
    filter.attributes.size === 0 ? null : JSON.stringify(Object.fromEntries(filter.attributes));
  const found = await rows<FoundRow>(
    {
      name: `users by ${order}${isPrefix ? ' prefix' : ''}${userId === null ? '' : ' from a position'}`,
      text: pageStatement(isPrefix ? BY_ID_PREFIX : ORDERS[order], userId === null),
    },
    [tenant, examined, ...bounds, attributes, query, key, userId, limit],
  );
  const users = found.filter((row): row is FoundRow & { userId: string } => row.userId !== null);
  const [first] = found;
  const last = users.at(-1);
  if (users.length === limit && last) return { users, next: { order, key: last.key, userId: last.userId } };
  if (first!.examined < examined) return { users, next: null };
  return { users, next: { order, key: first!.lastKey, userId: first!.lastUserId } };
}

/** The orders in which a search looks for users, one after the other. */
const SEARCH_ORDERS: readonly UserOrder[] = ['id', 'name', 'email'];

/**
 * A page of the users of a tenant.
 * @param query prefix of the id, of the name or of the email address, in this order; null for all users in
 * the given order
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
