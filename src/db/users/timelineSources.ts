import { INSTANT, MILLISECONDS } from '../sql.ts';
import { AWARDS_OF_USER, EVENTS_OF_USER, undoOf } from './userEvents.ts';

/**
 * A query of one table of a user's timeline. Rows of the same instant are shown in the order of
 * TIMELINE_SOURCES.
 *
 * Parameters: $1 tenant, $2 user, $3 and $4 position (milliseconds, key), before which rows are read, $5
 * number of rows, $6 numbers of the entities of `scope`.
 */
export interface Source {
  text: string;
  /** Kind of the entities whose numbers are $6. */
  scope?: 'metrics' | 'systems' | 'leaderboards';
}

/** Factor that packs two numbers into one key; greater than every entity number. */
const NUMBERS = 1_000_000;

const POSITION = INSTANT('$3::float8');
const before = (at: string, key: string): string => `(${at}, ${key}) < (${POSITION}, $4::bigint)`;

/** @param detail an expression of type jsonb */
function source(from: string, at: string, key: string, detail: string, condition = ''): Source {
  return {
    text: `select ${MILLISECONDS(at)} as at, (${key})::float8 as key, ${detail} as detail from ${from}
      where tenant = $1 and user_id = $2 and ${before(at, key)} ${condition}
      order by ${at} desc, ${key} desc limit $5`,
  };
}

/**
 * A source for a table whose index has the entity before the instant: reads some rows of each entity and
 * merges them.
 */
function sourceOfEach(
  scope: NonNullable<Source['scope']>,
  column: string,
  rows: string,
  at: string,
  key: string,
  detail: string,
  order: string,
): Source {
  const condition = `${column} = each.no and ${at} <= ${POSITION} and ${before(at, key)}`;
  return {
    scope,
    text: `select ${MILLISECONDS(at)} as at, (${key})::float8 as key, ${detail} as detail
      from unnest($6::integer[]) as each (no) cross join lateral (
        select * from ${rows} and ${condition} order by ${order} limit $5
      ) as row
      order by ${at} desc, ${key} desc limit $5`,
  };
}

const [OTHER_AWARDS, EVENT_AWARDS] = AWARDS_OF_USER as [string, string];
const AWARD_COLUMNS = 'recorded_at, sequence, n, system, id, trigger, awarded, total, boosts, reward';
const AWARD_KEY = `sequence * ${NUMBERS} + n`;
const AWARD_ORDER = 'recorded_at desc, sequence desc, n desc';
const AWARDS_BEFORE = `recorded_at <= ${POSITION} and ${before('recorded_at', AWARD_KEY)} order by ${AWARD_ORDER} limit $5`;

/**
 * Awards of all systems. Those of events are indexed by user and time, so the newest are read once for all
 * systems: a read for each system would read all events of a user without an award of it.
 */
const AWARDS = `select ${MILLISECONDS('recorded_at')} as at, (${AWARD_KEY})::float8 as key,
    jsonb_build_object('no', system, 'id', id, 'trigger', trigger, 'awarded', awarded, 'total', total, 'boosts', boosts, 'reward', reward,
      'reason', case when trigger = 0 then (
        select after ->> 'reason' from audit_log where audit_log.tenant = $1 and entity = row.id limit 1) end) as detail
  from (
    select own.* from unnest($6::integer[]) as each (no) cross join lateral (
      select ${AWARD_COLUMNS} from ${OTHER_AWARDS} and system = each.no and ${AWARDS_BEFORE}) as own
    union all (select ${AWARD_COLUMNS} from ${EVENT_AWARDS} and system = any($6) and ${AWARDS_BEFORE})
  ) as row
  order by ${AWARD_ORDER} limit $5`;

const FREQUENCY = `case frequency when 'daily' then 1 when 'weekly' then 2 else 3 end`;

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
  rank: sourceOfEach(
    'leaderboards',
    'leaderboard',
    'leaderboard_changes where tenant = $1 and user_id = $2',
    'changed_at',
    `last_sequence * ${NUMBERS} + leaderboard`,
    `jsonb_build_object('no', leaderboard, 'run', run_start, 'date', local_date, 'rank', rank, 'previousRank', previous_rank,
      'value', value, 'previousValue', previous_value)`,
    'run_start desc, local_date desc, last_sequence desc',
  ),
  points: {
    scope: 'systems',
    text: AWARDS,
  },
  achievement: source(
    'completed_achievements',
    'completed_at',
    'achievement::bigint',
    `jsonb_build_object('no', achievement)`,
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
    EVENTS_OF_USER,
    'recorded_at',
    'sequence',
    `jsonb_build_object('no', metric, 'eventId', event_id, 'value', value, 'total', total, 'attributes', attributes,
      'undone', exists (select from ${undoOf('row')}))`,
    'recorded_at desc, sequence desc',
  ),
  created: source('users', 'created_at', '0::bigint', `'{}'::jsonb`),
} satisfies Record<string, Source>;

export type TimelineSource = keyof typeof TIMELINE_SOURCES;
