import { INSTANT, MILLISECONDS } from '../sql.ts';
import { ANY_METRIC } from './readActivity.ts';
import { dayAfterActivity, IN_RANGE } from './userFilter.ts';

/** Orders of the list of users. Each is that of an index, so a page costs the same wherever it begins. */

/** `name`, `email` and `word` are used only by a search. */
export type UserOrder = keyof typeof ORDERS;

export interface Order {
  /** FROM clause; its alias `u` has the column user_id. */
  from: string;
  /** Sort key, written as in the index. */
  key: string;
  /** Sort key as it is stored in a position. */
  shown: string;
  /** Converts a position's key, $4, to the type of the index. */
  given: string;
  direction: 'asc' | 'desc';
  where: string;
}

export const ID = 'u.user_id collate "C"';
const SEARCHED = '$6::text';
const GIVEN_TEXT = '$4::text collate "C"';
const NO_SEARCH = `${SEARCHED} is null`;
const PREFIX = (column: string): string => `left(lower(${column}), 100) collate "C"`;
/** Range of all texts with a prefix: from the prefix to the prefix followed by the highest code point. */
const startsWith = (key: string, prefix: string): string =>
  `${key} >= ${prefix} collate "C" and ${key} < (${prefix} || chr(1114111)) collate "C"`;
const ID_STARTS = startsWith(ID, SEARCHED);
const starts = (column: string): string => startsWith(PREFIX(column), `lower(${SEARCHED})`);
const WORD = 'u.word collate "C"';
const WORD_STARTS = startsWith(WORD, `lower(${SEARCHED})`);

const search = (column: string, before: string): Order => ({
  from: 'users u',
  key: PREFIX(column),
  shown: PREFIX(column),
  given: GIVEN_TEXT,
  direction: 'asc',
  where: `${column} is not null and ${starts(column)} and not (${ID_STARTS}) ${before}`,
});

const byActivity = (direction: 'asc' | 'desc'): Order => ({
  from: 'user_activity u',
  key: dayAfterActivity('u'),
  shown: dayAfterActivity('u'),
  given: '$4::integer',
  direction,
  where: `${NO_SEARCH} and u.metric = ${ANY_METRIC} and ${IN_RANGE.active}`,
});

export const ORDERS = {
  created: {
    from: 'users u',
    key: 'u.created_at',
    shown: MILLISECONDS('u.created_at'),
    given: INSTANT('$4::float8'),
    direction: 'desc',
    where: `${NO_SEARCH} and ${IN_RANGE.created}`,
  },
  active: byActivity('desc'),
  inactive: byActivity('asc'),
  id: { from: 'users u', key: ID, shown: ID, given: GIVEN_TEXT, direction: 'asc', where: NO_SEARCH },
  points: {
    from: 'points_totals u',
    key: 'u.total',
    shown: 'u.total',
    given: '$4::float8',
    direction: 'desc',
    where: `${NO_SEARCH} and ${IN_RANGE.points}`,
  },
  streak: {
    from: 'streak_standings u',
    key: '- u.length',
    shown: '- u.length',
    given: '$4::integer',
    direction: 'asc',
    where: `${NO_SEARCH} and ${IN_RANGE.streak}`,
  },
  achievement: {
    from: 'completed_achievements u',
    key: 'u.completed_at',
    shown: MILLISECONDS('u.completed_at'),
    given: INSTANT('$4::float8'),
    direction: 'desc',
    where: `${NO_SEARCH} and ${IN_RANGE.achievement}`,
  },
  // Each search excludes the users that an earlier one finds: by id, by name, by address. Of several words
  // of a user that match, the first one counts.
  name: search('u.name', ''),
  email: search('u.email', `and not coalesce(${starts('u.name')}, false)`),
  word: {
    // The primary key of users has the default collation, and without it would not be used.
    from: `user_words u
      join users named on named.tenant = u.tenant and named.user_id = u.user_id collate "default"`,
    key: WORD,
    shown: WORD,
    given: GIVEN_TEXT,
    direction: 'asc',
    where: `${WORD_STARTS} and not (${ID_STARTS}) and not coalesce(${starts('named.name')}, false)
      and not coalesce(${starts('named.email')}, false)
      and not exists (select from unnest(search_words(named.name, named.email)) as other (word)
        where ${startsWith('other.word collate "C"', `lower(${SEARCHED})`)} and other.word collate "C" < ${WORD})`,
  },
} satisfies Record<string, Order>;

export const BY_ID_PREFIX: Order = { ...ORDERS.id, where: ID_STARTS };

/** The orders in which a search looks for users, one after the other. */
export const SEARCH_ORDERS: readonly UserOrder[] = ['id', 'name', 'email', 'word'];
