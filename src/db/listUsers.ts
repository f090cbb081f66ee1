import { USERS_EXAMINED_MAX } from '../base/limits.ts';
import { MILLISECONDS } from './bulkInsert.ts';
import type { Rows } from './rows.ts';
import { ANY_METRIC } from './writeActivity.ts';

/**
 * Pages of the list of users. A call examines at most USERS_EXAMINED_MAX candidates, in the order of an index, and answers those that
 * the filter admits; so its cost is bounded whatever the filter, and a page may hold few of them while more follow.
 */

/** Instants are milliseconds since 1970, days ordinals in the tenant's time zone; all bounds are inclusive. */
export interface UserFilter {
  control: boolean | null;
  createdFrom: number | null;
  createdUntil: number | null;
  activeFrom: number | null;
  activeUntil: number | null;
  /** Values that users must have, by attribute number. */
  attributes: ReadonlyMap<number, string>;
}

/** What the candidates are ordered by; `name` and `email` are of a search. */
export type UserOrder = 'created' | 'active' | 'id' | 'name' | 'email';

/** The last user of the page before. */
export interface UserPosition {
  order: UserOrder;
  /** Of that user: what the order goes by, and the id. */
  key: number | string;
  userId: string;
}

export interface UserRow {
  userId: string;
  /** Day ordinal of the last event; null before any. */
  lastActive: number | null;
}

export interface UserPage {
  users: UserRow[];
  /** null when nobody follows. */
  next: UserPosition | null;
}

interface Order {
  /** The table or tables, of which `u` has user_id. */
  from: string;
  /** What it goes by, as it is in the index. */
  key: string;
  /** What stands for the key in a position. */
  shown: string;
  /** A position's key as the index has it. */
  given: string;
  direction: 'asc' | 'desc';
  where: string;
}

const ID = 'u.user_id collate "C"';
const PREFIX = (column: string): string => `left(lower(${column}), 100) collate "C"`;
/** Every text that starts with a prefix sorts before the prefix with the last character there is. */
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
    given: 'to_timestamp($10::float8 / 1000)',
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
  // Whoever a search finds by id is not found by name again.
  name: search('u.name', ''),
  email: search('u.email', `and not coalesce(${starts('u.name')}, false)`),
};

const BY_ID_PREFIX: Order = { ...ORDERS.id, where: ID_STARTS };

/** $3 to $8 are the filter, $9 the searched text, $10 and $11 the position, $12 how many. */
const MATCHES = `($3::boolean is null or coalesce(users.control, false) = $3)
  and ($4::float8 is null or users.created_at >= to_timestamp($4 / 1000))
  and ($5::float8 is null or users.created_at <= to_timestamp($5 / 1000))
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
      left join user_activity activity on activity.tenant = $1 and activity.user_id = candidates.user_id
        and activity.metric = ${ANY_METRIC}
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
  /** null when none matches. */
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
  const attributes = filter.attributes.size === 0 ? null : JSON.stringify(Object.fromEntries(filter.attributes));
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

/** The orders of a search, one after the other. */
const SEARCH_ORDERS: readonly UserOrder[] = ['id', 'name', 'email'];

/**
 * A page of the users of a tenant.
 * @param query start of the id, of the name or of the address, in this order; null for all users in the given order
 * @param position `next` of the page before; null for the first
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
  const users: UserRow[] = [];
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
