import { CHALLENGE_STEPS } from '../../contract/challenge.ts';
import { all, type Rows } from '../rows.ts';
import { fragment, INSTANT, MILLISECONDS, raw, type Sql, sql } from '../sql.ts';
import { awardsOf, eventsOf, undoOf } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

/** Which rows of a user's timeline a source reads: `limit` rows before the position (ms, key). */
interface TimelineRange extends UserKey {
  at: number;
  key: number;
  limit: number;
  /** Numbers of the configured entities whose rows are read. */
  scope: TimelineScope;
}

interface TimelineScope {
  metrics: number[];
  systems: number[];
  leaderboards: number[];
}

/** A query of one table. Rows of the same instant are shown in the order of TIMELINE_SOURCES. */
type Source = (range: TimelineRange) => Sql;

/** Factor that packs two numbers into one key; greater than every entity number. */
const NUMBERS = 1_000_000;

const before = (at: string, key: string, range: TimelineRange): Sql =>
  sql`(${raw(at)}, ${raw(key)}) < (${INSTANT(range.at)}, ${range.key}::bigint)`;

const shown = (at: string, key: string, detail: string | Sql): Sql =>
  sql`${MILLISECONDS(at)} as at, (${raw(key)})::float8 as key, ${fragment(detail)} as detail`;

/** @param detail an expression of type jsonb */
const source =
  (from: string, at: string, key: string, detail: string, condition = ''): Source =>
  (range) =>
    sql`
    select ${shown(at, key, detail)} from ${raw(from)}
    where tenant = ${range.tenant} and user_id = ${range.userId} and ${before(at, key, range)} ${raw(condition)}
    order by ${raw(at)} desc, ${raw(key)} desc limit ${range.limit}`;

/**
 * A source for a table whose index has the entity before the instant: reads some rows of each entity and
 * merges them.
 * @param outOfOrder how many rows of an entity may come before a later one in the order of the index
 */
const sourceOfEach =
  (
    scope: keyof TimelineScope,
    column: string,
    rowsOf: (user: UserKey) => Sql,
    at: string,
    key: string,
    detail: string,
    order: string,
    outOfOrder = 0,
  ): Source =>
  (range) =>
    sql`
    select ${shown(at, key, detail)}
    from unnest(${range.scope[scope]}::integer[]) as each (no) cross join lateral (
      select * from ${rowsOf(range)} and ${raw(column)} = each.no and ${raw(at)} <= ${INSTANT(range.at)}
        and ${before(at, key, range)}
      order by ${raw(order)} limit ${range.limit + outOfOrder}
    ) as row
    order by ${raw(at)} desc, ${raw(key)} desc limit ${range.limit}`;

/**
 * Awards of all systems. Those of events are indexed by user and time, so the newest are read once for all
 * systems: a read for each system would read all events of a user without an award of it.
 */
const awards: Source = (range) => {
  const { tenant, userId, limit, scope } = range;
  const { others, ofEvents } = awardsOf(tenant, userId);
  const columns = raw('recorded_at, sequence, n, system, id, trigger, awarded, total, boosts, reward');
  const key = `sequence * ${NUMBERS} + n`;
  const newest = sql`order by recorded_at desc, sequence desc, n desc limit ${limit}`;
  const older = sql`recorded_at <= ${INSTANT(range.at)} and ${before('recorded_at', key, range)} ${newest}`;
  const detail = sql`jsonb_build_object('no', system, 'id', id, 'trigger', trigger, 'awarded', awarded,
    'total', total, 'boosts', boosts, 'reward', reward, 'reason', case when trigger = 0 then (
      select after ->> 'reason' from audit_log
      where audit_log.tenant = ${tenant} and entity = row.id limit 1) end)`;
  return sql`
    select ${shown('recorded_at', key, detail)} from (
      select own.* from unnest(${scope.systems}::integer[]) as each (no) cross join lateral (
        select ${columns} from ${others} and system = each.no and ${older}) as own
      union all (select ${columns} from ${ofEvents} and system = any(${scope.systems}) and ${older})
    ) as row ${newest}`;
};

/** Of a challenge, at the same instant. */
const STEP = `array_position('{${CHALLENGE_STEPS.join(',')}}'::text[], step) - 1`;
const FREQUENCY = `case frequency when 'daily' then 1 when 'weekly' then 2 else 3 end`;

/** While a run is open, a user has at most so many days with changes in the runs after it. */
const OPEN_RUN_ROWS = 10;

export const TIMELINE_SOURCES = {
  admin: source(
    'audit_log',
    'at',
    'id',
    `jsonb_build_object('actor', actor, 'actorName', actor_name, 'action', action, 'subject', kind, 'before', before, 'after', after)`,
    `and user_id is not null`,
  ),
  notification: source(
    'notification_deliveries',
    'finished_at',
    // 52 bits of the id: unique in practice, and exact in a double.
    `('x' || substr(md5(id::text), 1, 13))::bit(52)::bigint`,
    `jsonb_build_object('type', type, 'channel', channel, 'status', status, 'reason', reason)`,
    `and status <> 'pending'`,
  ),
  result: source(
    '(select * from leaderboard_places join leaderboard_runs using (tenant, leaderboard, run_start)) as place',
    'finalized_at',
    'leaderboard::bigint',
    `jsonb_build_object('no', leaderboard, 'run', run_start, 'rank', rank, 'value', value)`,
  ),
  // A user may leave several runs of a leaderboard by one change.
  rank: sourceOfEach(
    'leaderboards',
    'leaderboard',
    ({ tenant, userId }) => sql`leaderboard_changes where tenant = ${tenant} and user_id = ${userId}`,
    'changed_at',
    `last_sequence * ${NUMBERS} + abs(hashtextextended(leaderboard || ' ' || run_start || ' ' || ranking_group, 0) % ${NUMBERS})`,
    `jsonb_build_object('no', leaderboard, 'run', run_start, 'date', local_date, 'rank', rank, 'previousRank', previous_rank,
      'value', value, 'previousValue', previous_value)`,
    'run_start desc, local_date desc, last_sequence desc',
    OPEN_RUN_ROWS,
  ),
  points: awards,
  challenge: source(
    'challenge_steps',
    'happened_at',
    `(challenge::bigint * ${NUMBERS} + run) * 4 + ${STEP}`,
    `jsonb_build_object('no', challenge, 'number', run, 'step', step)`,
  ),
  achievement: source(
    'completed_achievements',
    'completed_at',
    'achievement::bigint',
    `jsonb_build_object('no', achievement, 'times', 1)`,
  ),
  repeated: source(
    'achievement_repeats',
    'completed_at',
    `sequence * ${NUMBERS} + achievement_no`,
    `jsonb_build_object('no', achievement_no, 'times', times)`,
  ),
  earnedFreezes: source('earned_freezes', 'earned_at', '0::bigint', `jsonb_build_object('length', freezes)`),
  loss: source(
    'streak_losses',
    'lost_at',
    `period::bigint * 4 + ${FREQUENCY}`,
    `jsonb_build_object('frequency', frequency, 'length', length)`,
  ),
  extension: source(
    'streak_extensions',
    'extended_at',
    `period::bigint * 4 + ${FREQUENCY}`,
    `jsonb_build_object('frequency', frequency, 'length', length, 'period', period, 'madeGoodBy', made_good_by)`,
  ),
  event: sourceOfEach(
    'metrics',
    'metric',
    eventsOf,
    'recorded_at',
    // An import sets totals of several metrics by one change.
    `sequence * ${NUMBERS} + metric`,
    `jsonb_build_object('no', metric, 'eventId', event_id, 'value', value, 'total', total, 'attributes', attributes,
      'undone', exists (select from ${undoOf('row')}))`,
    'recorded_at desc, sequence desc',
  ),
  created: source('users', 'created_at', '0::bigint', `'{}'::jsonb`),
} satisfies Record<string, Source>;

export type TimelineSource = keyof typeof TIMELINE_SOURCES;

/**
 * A user's timeline, newest first: the merged rows of several tables of the history. Each source reads at
 * most as many rows as the page may have, by an index, so the cost of a page does not grow with the length of
 * the history.
 */
export interface TimelineRow {
  source: TimelineSource;
  /** Milliseconds since 1970. */
  at: number;
  /** Orders rows of a source at the same instant; unique among them. */
  key: number;
  /** Columns of the source. */
  detail: Record<string, unknown>;
}

/** Position of the last row of the previous page. */
export type TimelinePosition = Pick<TimelineRow, 'source' | 'at' | 'key'>;

/** Greater than every instant, and than every key. */
const LAST_AT = 8_640_000_000_000_000;
const KEY_MAX = Number.MAX_SAFE_INTEGER;

export async function readTimeline(
  rows: Rows,
  { tenant, userId }: UserKey,
  scope: TimelineScope,
  {
    sources,
    position,
    limit,
  }: { sources: readonly TimelineSource[]; position: TimelinePosition | null; limit: number },
): Promise<TimelineRow[]> {
  const order = Object.keys(TIMELINE_SOURCES) as TimelineSource[];
  const orderOf = (source: TimelineSource): number => order.indexOf(source);
  const found = await Promise.all(
    sources.map(async (source) => {
      const at = position?.at ?? LAST_AT;
      // At the instant at which the previous page ended, all rows of later sources are left, and none of
      // earlier sources.
      const after = position === null ? 1 : orderOf(source) - orderOf(position.source);
      const key = after > 0 ? KEY_MAX : after < 0 ? -1 : position!.key;
      const query = TIMELINE_SOURCES[source]({ tenant, userId, at, key, limit, scope });
      const own = await all(rows)<Omit<TimelineRow, 'source'>>`${query}`;
      return own.map((row) => ({ ...row, source }));
    }),
  );
  return found
    .flat()
    .sort((a, b) => b.at - a.at || orderOf(a.source) - orderOf(b.source) || b.key - a.key)
    .slice(0, limit);
}
