import type { Frequency } from '../../rules/config.ts';
import type { StreakPeriod } from '../../rules/streakHistory.ts';
import type { Queryable } from '../pool.ts';
import { all, column, value } from '../rows.ts';
import { DECIMAL_SUM, MILLISECONDS, ORDINAL, raw, type Sql, sql } from '../sql.ts';

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
  /** How often each achievement that repeats was completed when it was completed last. */
  timesCompleted: Record<number, number>;
  /** By challenge: the runs that were completed here. */
  challengeCompletions: Record<number, number>;
  /** When each achievement was completed, milliseconds since 1970. */
  achievements: Record<string, number>;
  streaks: Partial<Record<Frequency, { length: number; lastPeriod: number; longest: number }>>;
  /** The latest periods of the streak in force, in order. */
  periods: StreakPeriod[];
  /** The latest period in which an administrator ended the streak; null without one. */
  lastReset: number | null;
  /** The last change in the latest run of each leaderboard. */
  places: Record<string, { run: number; value: number; isRanked: boolean }>;
  leagues: Record<string, RecordedLeague>;
  /** Final places with another value than that of the user's last change in the run. */
  finals: { leaderboard: number; run: number; place: number; value: number; last: number }[];
}

const byNumber = (key: string, shown: Sql, from: Sql): Sql =>
  sql`coalesce((select jsonb_object_agg(${raw(key)}, ${shown}) from ${from}), '{}')`;

/** Latest periods of a streak that are read. */
const PERIODS_MAX = 7;

function streakColumns(ofStreak: Sql): Sql {
  const latest = sql`
    select period, length, made_good_by as "madeGoodBy" from streak_extensions where ${ofStreak}
    order by period desc limit ${PERIODS_MAX}`;
  return sql`
    coalesce((select jsonb_agg(latest order by period) from (${latest}) as latest), '[]') as periods,
    (select max(period) from streak_resets where ${ofStreak}) as "lastReset"`;
}

const repeats = (ofUser: Sql): Sql => sql`(
  select achievement_no, max(times) as times from achievement_repeats where ${ofUser} group by 1) as repeated`;

const completedRuns = (ofUser: Sql): Sql => sql`(
  select challenge, count(distinct run) as runs from challenge_steps where ${ofUser} and step = 'completed'
  group by challenge) as counted`;

/**
 * Each of these users, also those whom PostgreSQL does not know.
 * @param frequency of the streak in force
 */
export async function readRecordedUsers(
  db: Queryable,
  tenant: number,
  userIds: readonly string[],
  frequency: Frequency,
): Promise<Map<string, RecordedUser>> {
  const ofUser = sql`tenant = ${tenant} and user_id = asked.user_id`;
  const events = sql`(
    select metric, value as change, total, sequence from event_history where ${ofUser}
    union all select metric, change, total, last_sequence from metric_days where ${ofUser}) as event`;
  const metrics = sql`(
    select metric, ${DECIMAL_SUM('change')} as sum, (array_agg(total order by sequence desc))[1] as total
    from ${events} group by metric) as summed`;
  const awarded = sql`(
    select system, sum(awarded) as awarded from award_history where ${ofUser} group by system) as summed`;
  const places = sql`(
    select distinct on (leaderboard) leaderboard, run_start, value, rank from leaderboard_changes where ${ofUser}
    order by leaderboard, run_start desc, last_sequence desc) as latest`;
  const finalRuns = sql`
    leaderboard_runs final where final.tenant = ${tenant} and final.leaderboard = member.leaderboard`;
  const leagues = sql`(
    select leaderboard, jsonb_build_object('tier', tier, 'run', ${ORDINAL('run_start')},
      'lastEnd', (select ${ORDINAL('max(run_end)')} from ${finalRuns}),
      'isMoved', not exists (select from ${finalRuns} and is_in_redis)) as league
    from league_members member where ${ofUser}) as member`;
  const finals = sql`(
    select leaderboard, run_start, place, value, (
      select value from leaderboard_changes change where ${ofUser} and change.leaderboard = final.leaderboard
        and change.run_start = final.run_start order by last_sequence desc limit 1) as last
    from leaderboard_places final where ${ofUser}) as final where value <> last`;
  const rows = await all(db)<RecordedUser>`
    select asked.user_id as "userId", users.user_id is not null as "isListed", name, email,
      exists (select from erasures where ${ofUser}) or exists (
        select from renames where tenant = ${tenant} and asked.user_id in (from_id, to_id)) as "isLeaving",
      (select sequence::float8 from user_snapshots where ${ofUser}) as snapshot,
      (select max(sequence)::float8 from (
        select max(sequence) as sequence from ${events}
        union all select max(sequence) from points_totals where ${ofUser}
        union all select max(sequence) from streak_standings where ${ofUser}
        union all select max(last_sequence) from leaderboard_changes where ${ofUser}) as each) as sequence,
      ${byNumber('attribute', sql`value`, sql`user_attributes where ${ofUser} and value is not null`)} as attributes,
      ${byNumber('metric', sql`jsonb_build_object('sum', sum, 'total', total)`, metrics)} as metrics,
      ${byNumber('system', sql`total`, sql`points_totals where ${ofUser}`)} as points,
      ${byNumber('system', sql`awarded`, awarded)} as awarded,
      ${byNumber(
        'achievement',
        MILLISECONDS('completed_at'),
        sql`completed_achievements where ${ofUser}`,
      )} as achievements,
      ${byNumber('achievement_no', sql`times`, repeats(ofUser))} as "timesCompleted",
      ${byNumber('challenge', sql`runs`, completedRuns(ofUser))} as "challengeCompletions",
      ${byNumber(
        'frequency',
        sql`jsonb_build_object('length', length, 'lastPeriod', last_period, 'longest', longest)`,
        sql`streak_standings where ${ofUser}`,
      )} as streaks,
      ${streakColumns(sql`${ofUser} and frequency = ${frequency}`)},
      ${byNumber(
        'leaderboard',
        sql`jsonb_build_object('run', ${ORDINAL('run_start')}, 'value', value, 'isRanked', rank is not null)`,
        places,
      )} as places,
      ${byNumber('leaderboard', sql`league`, leagues)} as leagues,
      coalesce((select jsonb_agg(jsonb_build_object('leaderboard', leaderboard, 'run', ${ORDINAL('run_start')},
        'place', place, 'value', value, 'last', last)) from ${finals}), '[]') as finals
    from unnest(${userIds}::text[]) as asked (user_id)
    left join users on users.tenant = ${tenant} and users.user_id = asked.user_id`;
  return new Map(rows.map((row) => [row.userId, row]));
}

/** Ids of up to `limit` users after `after`, in byte order. */
export const listUserIds = (db: Queryable, tenant: number, after: string, limit: number): Promise<string[]> =>
  column(db)`
    select user_id as id from users where tenant = ${tenant} and user_id collate "C" > ${after}
    order by user_id collate "C" limit ${limit}`;

export const countUsers = (db: Queryable, tenant: number): Promise<number> =>
  value(db)`select count(*)::float8 as count from users where tenant = ${tenant}`;

/** Users who have completed each achievement, by its number. */
export async function countCompletions(db: Queryable, tenant: number): Promise<Map<number, number>> {
  const rows = await all(db)<{ achievement: number; count: number }>`
    select achievement, count(*)::float8 as count from completed_achievements where tenant = ${tenant}
    group by achievement`;
  return new Map(rows.map(({ achievement, count }) => [achievement, count]));
}
