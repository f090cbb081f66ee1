import type { Frequency } from '../../rules/config.ts';
import type { Queryable } from '../pool.ts';
import { DECIMAL_SUM, MILLISECONDS, ORDINAL } from '../sql.ts';

/** The tier of a user in a league, from the run with this first day on. */
export interface RecordedLeague {
  tier: string;
  run: number;
  /** Last day of the last final run; null without one. */
  lastEnd: number | null;
  /** Whether all users have left the final runs. */
  isMoved: boolean;
}

/** What PostgreSQL holds of a user that the state in Redis must agree with. Keys are numbers of entities. */
export interface RecordedUser {
  userId: string;
  /** Whether the table of users has the user. */
  isListed: boolean;
  /** Whether the user is being erased or gets another id. */
  isLeaving: boolean;
  name: string | null;
  email: string | null;
  /** Sequence number of the snapshot; null without one. */
  snapshot: number | null;
  /** The highest sequence number in the history; null without any. */
  sequence: number | null;
  attributes: Record<string, string>;
  /** By metric: sum of the values, and the total after the last event. */
  metrics: Record<string, { sum: number; total: number }>;
  /** By points system: the stored total. */
  points: Record<string, number>;
  /** By points system: the sum of the awards. */
  awarded: Record<string, number>;
  /** When each achievement was completed, milliseconds since 1970. */
  achievements: Record<string, number>;
  streaks: Partial<Record<Frequency, { length: number; lastPeriod: number; longest: number }>>;
  /** The last change in the latest run of each leaderboard. */
  places: Record<string, { run: number; value: number; isRanked: boolean }>;
  leagues: Record<string, RecordedLeague>;
  /** Final places with another value than that of the user's last change in the run. */
  finals: { leaderboard: number; run: number; place: number; value: number; last: number }[];
}

const OF_USER = 'tenant = $1 and user_id = asked.user_id';
const byNumber = (key: string, value: string, from: string): string =>
  `coalesce((select jsonb_object_agg(${key}, ${value}) from ${from}), '{}')`;

const EVENTS = `(
  select metric, value as change, total, sequence from event_history where ${OF_USER}
  union all select metric, change, total, last_sequence from metric_days where ${OF_USER}) as event`;
const METRICS = `(
  select metric, ${DECIMAL_SUM('change')} as sum, (array_agg(total order by sequence desc))[1] as total
  from ${EVENTS} group by metric) as summed`;
const AWARDED = `(select system, sum(awarded) as awarded from award_history where ${OF_USER} group by system) as summed`;
const LATEST_PLACES = `(
  select distinct on (leaderboard) leaderboard, run_start, value, rank from leaderboard_changes where ${OF_USER}
  order by leaderboard, run_start desc, last_sequence desc) as latest`;
const FINAL_RUNS = `leaderboard_runs final where final.tenant = $1 and final.leaderboard = member.leaderboard`;
const LEAGUES = `(
  select leaderboard, jsonb_build_object('tier', tier, 'run', ${ORDINAL('run_start')},
    'lastEnd', (select ${ORDINAL('max(run_end)')} from ${FINAL_RUNS}),
    'isMoved', not exists (select from ${FINAL_RUNS} and is_in_redis)) as league
  from league_members member where ${OF_USER}) as member`;
const FINALS = `(
  select leaderboard, run_start, place, value, (
    select value from leaderboard_changes change
    where change.tenant = $1 and change.user_id = asked.user_id and change.leaderboard = final.leaderboard
      and change.run_start = final.run_start order by last_sequence desc limit 1) as last
  from leaderboard_places final where ${OF_USER}) as final where value <> last`;

const RECORDED_USERS = `
  select asked.user_id as "userId", users.user_id is not null as "isListed", name, email,
    exists (select from erasures where ${OF_USER})
      or exists (select from renames where tenant = $1 and asked.user_id in (from_id, to_id)) as "isLeaving",
    (select sequence::float8 from user_snapshots where ${OF_USER}) as snapshot,
    (select max(sequence)::float8 from (
      select max(sequence) as sequence from ${EVENTS}
      union all select max(sequence) from points_totals where ${OF_USER}
      union all select max(sequence) from streak_standings where ${OF_USER}
      union all select max(last_sequence) from leaderboard_changes where ${OF_USER}) as each) as sequence,
    ${byNumber('attribute', 'value', `user_attributes where ${OF_USER} and value is not null`)} as attributes,
    ${byNumber('metric', `jsonb_build_object('sum', sum, 'total', total)`, METRICS)} as metrics,
    ${byNumber('system', 'total', `points_totals where ${OF_USER}`)} as points,
    ${byNumber('system', 'awarded', AWARDED)} as awarded,
    ${byNumber('achievement', MILLISECONDS('completed_at'), `completed_achievements where ${OF_USER}`)} as achievements,
    ${byNumber(
      'frequency',
      `jsonb_build_object('length', length, 'lastPeriod', last_period, 'longest', longest)`,
      `streak_standings where ${OF_USER}`,
    )} as streaks,
    ${byNumber(
      'leaderboard',
      `jsonb_build_object('run', ${ORDINAL('run_start')}, 'value', value, 'isRanked', rank is not null)`,
      LATEST_PLACES,
    )} as places,
    ${byNumber('leaderboard', 'league', LEAGUES)} as leagues,
    coalesce((select jsonb_agg(jsonb_build_object('leaderboard', leaderboard, 'run', ${ORDINAL('run_start')},
      'place', place, 'value', value, 'last', last)) from ${FINALS}), '[]') as finals
  from unnest($2::text[]) as asked (user_id)
  left join users on users.tenant = $1 and users.user_id = asked.user_id`;

/** Each of these users, also those whom PostgreSQL does not know. */
export async function readRecordedUsers(
  db: Queryable,
  tenant: number,
  userIds: readonly string[],
): Promise<Map<string, RecordedUser>> {
  const { rows } = await db.query<RecordedUser>(RECORDED_USERS, [tenant, userIds]);
  return new Map(rows.map((row) => [row.userId, row]));
}

/** Ids of up to `limit` users after `after`, in byte order. */
export async function listUserIds(
  db: Queryable,
  tenant: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select user_id as id from users where tenant = $1 and user_id collate "C" > $2
     order by user_id collate "C" limit $3`,
    [tenant, after, limit],
  );
  return rows.map(({ id }) => id);
}
