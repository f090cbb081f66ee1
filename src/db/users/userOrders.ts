import { INSTANT, MILLISECONDS, raw, type Sql, sql } from '../sql.ts';
import { ANY_METRIC } from './readActivity.ts';
import { dayAfterActivity, IN_RANGE, type UserFilter } from './userFilter.ts';

/** Orders of the list of users. Each is that of an index, so a page costs the same wherever it begins. */

/** `name`, `email` and `word` are used only by a search. */
export type UserOrder = keyof typeof ORDERS;

export interface Order {
  /** FROM clause; its alias `u` has the column user_id. */
  from: Sql;
  /** Sort key, written as in the index. */
  key: Sql;
  /** Sort key as it is stored in a position. */
  shown: Sql;
  /** Converts a position's key to the type of the index. */
  given(key: number | string): Sql;
  direction: 'asc' | 'desc';
  /** @param query the searched text; null without a search, which some orders need */
  where(filter: UserFilter, query: string | null): Sql;
}

export const ID = sql`u.user_id collate "C"`;
const textKey = (key: number | string): Sql => sql`${key}::text collate "C"`;
const integerKey = (key: number | string): Sql => sql`${key}::integer`;
const PREFIX = (column: string): Sql => raw(`left(lower(${column}), 100) collate "C"`);
/** Range of all texts with a prefix: from the prefix to the prefix followed by the highest code point. */
const startsWith = (key: Sql, prefix: Sql): Sql =>
  sql`${key} >= ${prefix} collate "C" and ${key} < (${prefix} || chr(1114111)) collate "C"`;
const idStarts = (query: string | null): Sql => startsWith(ID, sql`${query}::text`);
const starts = (key: Sql, query: string | null): Sql => startsWith(key, sql`lower(${query}::text)`);
const WORD = sql`u.word collate "C"`;

const search = (column: string, before: (query: string | null) => Sql): Order => ({
  from: sql`users u`,
  key: PREFIX(column),
  shown: PREFIX(column),
  given: textKey,
  direction: 'asc',
  where: (_, query) => sql`
    ${raw(column)} is not null and ${starts(PREFIX(column), query)} and not (${idStarts(query)}) ${before(query)}`,
});

const byActivity = (direction: 'asc' | 'desc'): Order => ({
  from: sql`user_activity u`,
  key: dayAfterActivity('u'),
  shown: dayAfterActivity('u'),
  given: integerKey,
  direction,
  where: (filter) => sql`u.metric = ${raw(ANY_METRIC)} and ${IN_RANGE.active(filter)}`,
});

/** By an instant, the latest first. */
const byInstant = (from: Sql, column: string, where: (filter: UserFilter) => Sql): Order => ({
  from,
  key: raw(column),
  shown: MILLISECONDS(column),
  given: (key) => INSTANT(Number(key)),
  direction: 'desc',
  where,
});

export const ORDERS = {
  created: byInstant(sql`users u`, 'u.created_at', IN_RANGE.created),
  active: byActivity('desc'),
  inactive: byActivity('asc'),
  id: { from: sql`users u`, key: ID, shown: ID, given: textKey, direction: 'asc', where: () => sql`true` },
  points: {
    from: sql`points_totals u`,
    key: sql`u.total`,
    shown: sql`u.total`,
    given: (key) => sql`${key}::float8`,
    direction: 'desc',
    where: IN_RANGE.points,
  },
  streak: {
    from: sql`streak_standings u`,
    key: sql`- u.length`,
    shown: sql`- u.length`,
    given: integerKey,
    direction: 'asc',
    where: IN_RANGE.streak,
  },
  achievement: byInstant(sql`completed_achievements u`, 'u.completed_at', IN_RANGE.achievement),
  lost: byInstant(sql`streak_losses u`, 'u.lost_at', IN_RANGE.lost),
  blocked: byInstant(sql`blocked_users u`, 'u.blocked_at', IN_RANGE.blocked),
  // Each search excludes the users that an earlier one finds: by id, by name, by address. Of several words
  // of a user that match, the first one counts.
  name: search('u.name', () => sql``),
  email: search('u.email', (query) => sql`and not coalesce(${starts(PREFIX('u.name'), query)}, false)`),
  word: {
    // The primary key of users has the default collation, and without it would not be used.
    from: sql`user_words u
      join users named on named.tenant = u.tenant and named.user_id = u.user_id collate "default"`,
    key: WORD,
    shown: WORD,
    given: textKey,
    direction: 'asc',
    where: (_, query) => sql`
      ${starts(WORD, query)} and not (${idStarts(query)})
      and not coalesce(${starts(PREFIX('named.name'), query)}, false)
      and not coalesce(${starts(PREFIX('named.email'), query)}, false)
      and not exists (select from unnest(search_words(named.name, named.email)) as other (word)
        where ${starts(sql`other.word collate "C"`, query)} and other.word collate "C" < ${WORD})`,
  },
} satisfies Record<string, Order>;

export const BY_ID_PREFIX: Order = { ...ORDERS.id, where: (_, query) => idStarts(query) };

/** The orders in which a search looks for users, one after the other. */
export const SEARCH_ORDERS: readonly UserOrder[] = ['id', 'name', 'email', 'word'];
