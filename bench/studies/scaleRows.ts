import { OUTAGES_MAX } from '../../src/base/healthLimits.ts';
import { ensurePartition } from '../../src/db/partitions.ts';
import { type Pool, type PoolClient, transaction } from '../../src/db/pool.ts';

/** Size of the installation that the console shows. */
export const SCALE = {
  users: Number(process.env.BENCH_USERS ?? 1_000_000),
  days: 730,
  metrics: 20,
  achievements: 100,
  systems: 5,
  triggersPerSystem: 10,
  boards: 10,
  /**
   * An average day has about a seventh of the users, with one event each: 100,000,000 events in two years.
   */
  eventsPerDay: 137_000,
  /** Events of the user whose screen is measured. */
  eventsOfUser: 5_000,
  deliveries: 1_000_000,
  auditEntries: 100_000,
  webhookDeliveries: 200_000,
  /** Events that wait for a review, anomalies, imports and sessions. */
  waiting: 10_000,
} as const;

/** The newest user, with the longest history. */
export const SHOWN_USER = 'user-0';
const DAY_MS = 86_400_000;
const TENANT = 1;
/** Days for which deliveries are kept. */
const DELIVERY_DAYS = 30;

const { users, days, metrics, achievements, systems, triggersPerSystem, boards } = SCALE;
const LENGTHS = 200;
const STEPS = '{0,1,2,3,5,7,14,21,30,60,90,180,365}';

/** $1 is today, a date. User n was created n/users of the time ago. */
const USERS = [
  `insert into users (tenant, user_id, created_at, name, email, control)
   select ${TENANT}, 'user-' || n, $1::date - n::float8 / ${users} * interval '${days} days', 'User ' || n, 'user-' || n || '@example.com', n % 10 = 0
   from generate_series(0, ${users - 1}) as n`,
  // Active on every seventh day since the creation; the first metric only, and one more.
  `insert into user_activity (tenant, user_id, metric, first_day, days)
   select ${TENANT}, 'user-' || n, metric, ($1::date - date '1970-01-01') - age,
     (rpad('1', (age - n % 7) - (age - n % 7) % 7, '0000001') || '1')::bit varying
   from generate_series(0, ${users - 1}) as n cross join lateral (select greatest(7, n::bigint * ${days} / ${users})::integer as age) as user_age
   cross join lateral (values (0), (1), (2 + n % ${metrics - 1})) as of (metric)`,
  `insert into user_attributes (tenant, user_id, attribute, value, sequence)
   select ${TENANT}, 'user-' || n, attribute, 'value-' || n % (attribute * 10), 1
   from generate_series(0, ${users - 1}) as n cross join generate_series(1, 2) as attribute`,
  `insert into streak_standings (tenant, user_id, frequency, length, last_period, longest, sequence)
   select ${TENANT}, 'user-' || n, frequency, n % ${LENGTHS}, present, n % ${LENGTHS} + n % 13, 1
   from generate_series(0, ${users - 1}) as n cross join (select $1::date - date '1970-01-01' as today) as this
   cross join lateral (values ('daily', today), ('weekly', (today + 3) / 7), ('monthly', today / 31)) as known (frequency, present)`,
  `insert into points_totals (tenant, user_id, system, total, sequence)
   select ${TENANT}, 'user-' || n, system, (n::bigint * 7919) % 50000, 1
   from generate_series(0, ${users - 1}) as n cross join generate_series(1, 2) as system`,
  `insert into completed_achievements (tenant, user_id, achievement, completed_at, local_date)
   select ${TENANT}, 'user-' || n, 1 + (n::bigint * 31 + i * 17) % ${achievements}, at, at::date
   from generate_series(0, ${users - 1}) as n cross join generate_series(0, 4) as i
   cross join lateral (select $1::date - (n::float8 / ${users}) * interval '${days} days' * (5 - i) / 5 as at) as moment
   on conflict do nothing`,
  `insert into cohort_counts (tenant, split, cohort, value, week, users)
   select ${TENANT}, split, cohort, value, week, ${users} * 7 / ${days} / (week + 3)
   from (select ($1::date - date '1970-01-05') / 7 as present) as this
   cross join lateral generate_series(present - 104, present) as cohort
   cross join lateral generate_series(-1, present - cohort) as week
   cross join lateral (
     select 'all' as split, 'all' as value union all values ('control', 'control'), ('control', 'treated')
     union all select 'streak', step::text from unnest('${STEPS}'::integer[]) as step
     union all select '1', 'value-' || n from generate_series(0, 99) as n) as groups`,
];

/** Each selects kind, no, detail, count and sum of one day. */
const COUNTS = [
  `select kind, 0, '', count, 0 from (values ('newUsers', ${Math.round(users / days)}), ('activeUsersDay', 130000), ('firstActiveUsers', 1300),
     ('activeUsersLast7', 40), ('activeUsersLast30', 60), ('freezesEarned', 900)) as of (kind, count)`,
  `select kind, no, '', ${SCALE.eventsPerDay} / ${metrics}, ${SCALE.eventsPerDay} / ${metrics}
   from generate_series(1, ${metrics}) as no cross join (values ('metricEvents'), ('metricUsersDay')) as of (kind)`,
  `select 'completions', no, '', 13, 0 from generate_series(1, ${achievements}) as no`,
  `select 'completionDays', no, step::text, 1, step * 86400 + 4711
   from generate_series(1, ${achievements}) as no cross join unnest('${STEPS}'::integer[]) as step`,
  `select kind, no, ((no - 1) * ${triggersPerSystem} + i)::text, 1000, 5000
   from generate_series(1, ${systems}) as no cross join generate_series(1, ${triggersPerSystem}) as i
   cross join (values ('pointsGained'), ('pointsSpent')) as of (kind)`,
  `select kind, 1, '', 1000, 0 from unnest('{streaksStarted,streaksExtended,freezesUsed,pausesUsed}'::text[]) as kind`,
  `select 'streaksLost', 1, length::text, 5, 0 from generate_series(1, ${LENGTHS}) as length`,
  `select 'rankChanges', no, detail, 100, 200 from generate_series(1, ${boards}) as no
   cross join unnest('{entered,left,up,down}'::text[]) as detail`,
  `select 'participants', no, '', 10000, 0 from generate_series(1, ${boards}) as no`,
];

const DAILY_COUNTS = `insert into daily_counts (tenant, kind, day, no, detail, count, sum)
  select ${TENANT}, of.kind, $1::date - ago, of.no, of.detail, of.count, of.sum
  from generate_series(0, ${days - 1}) as ago cross join lateral (${COUNTS.join(' union all ')}) as of (kind, no, detail, count, sum)`;

const OPERATIONS = [
  `insert into notification_deliveries (id, created_at, day, tenant, user_id, channel, type, status, due_at, finished_at)
   select gen_random_uuid(), $1::date - (n % ${DELIVERY_DAYS}) * interval '1 day', $1::date - n % ${DELIVERY_DAYS}, ${TENANT}, 'user-' || n % ${users},
     (array['email', 'push'])[1 + n % 2], (array['recap', 'reactivation', 'streak_reminder'])[1 + n % 3],
     case when n % 100 = 0 then 'failed' when n % 4 = 0 then 'suppressed' else 'sent' end, $1::date, $1::date
   from generate_series(0, ${SCALE.deliveries - 1}) as n`,
  `insert into audit_log (tenant, at, actor, action, kind, entity, user_id, after)
   select ${TENANT}, $1::date, 'bench', 'update', 'metrics', gen_random_uuid(), case when n % 2 = 0 then 'user-' || n end, '{"a": 1}'
   from generate_series(1, ${SCALE.auditEntries}) as n`,
  `insert into leaderboard_changes (tenant, user_id, leaderboard, run_start, local_date, ranking_group, rank, value, previous_rank,
     previous_value, changed_at, first_sequence, last_sequence)
   select ${TENANT}, 'user-' || n, 1 + n % ${boards}, $1::date - day, $1::date - day, '', 1 + n % 1000, 5, null, 0, $1::date - day * interval '1 day', 1, 1
   from generate_series(0, ${Math.min(users, 10_000) - 1}) as n cross join generate_series(0, 29) as day`,
];

/** What administrators review, and who they are. */
const REVIEWED = [
  `insert into webhook_deliveries (id, created_at, tenant, webhook, user_id, type, status, reason, due_at, finished_at, attempts)
   select gen_random_uuid(), $1::date - (n % 7) * interval '1 day', ${TENANT}, (select id from entities where kind = 'webhooks' limit 1),
     'user-' || n % ${users}, 'streak.lost', case when n % 50 = 0 then 'failed' else 'sent' end,
     case when n % 50 = 0 then 'answered 500' end, $1::date, $1::date, 1
   from generate_series(0, ${SCALE.webhookDeliveries - 1}) as n`,
  `insert into held_events (tenant, event_id, user_id, metric, value, attributes, happened_at, guard, held_at)
   select ${TENANT}, gen_random_uuid(), 'user-' || n % ${users}, 1, n, '{}', $1::date, 'maxValue', $1::date - n * interval '1 second'
   from generate_series(1, ${SCALE.waiting}) as n`,
  `insert into anomalies (tenant, local_date, metric, user_id, value, bound, median)
   select ${TENANT}, $1::date - n % 90, 1 + n % ${metrics}, 'user-' || n % ${users}, n, 100, 5
   from generate_series(1, ${SCALE.waiting}) as n on conflict do nothing`,
  `insert into imports (id, tenant, kind, name, state, created, finished_at)
   select gen_random_uuid(), ${TENANT}, 'users', 'users-' || n || '.csv', 'done', $1::date, $1::date
   from generate_series(1, ${SCALE.waiting}) as n`,
  `insert into console_sessions (id, sha256, subject, name, role, created, last_used, expires)
   select gen_random_uuid(), sha256(n::text::bytea), 'person-' || n, 'Person ' || n, 'read', $1::date, $1::date, $1::date + 30
   from generate_series(1, ${SCALE.waiting}) as n`,
  `insert into outages (cause, began, seen)
   select 'redis', $1::date - n * interval '1 hour', $1::date - n * interval '1 hour' + interval '2 minutes'
   from generate_series(1, ${OUTAGES_MAX}) as n`,
];

const HISTORY_OF_USER = [
  `insert into user_numbers (tenant, user_id) values (${TENANT}, '${SHOWN_USER}') on conflict do nothing`,
  `insert into recorded_events (recorded_at, sequence, value, total, event_id, user_no, metric, local_date, awards)
   select at, n, 1, n, gen_random_uuid(), no, 1 + n % 3, at::date, '[[' || 1 + n % 2 || ',1,10,' || n * 10 || ']]'
   from user_numbers cross join generate_series(1, ${SCALE.eventsOfUser}) as n
   cross join lateral (select $1::date - (${SCALE.eventsOfUser} - n) * interval '${days} days' / ${SCALE.eventsOfUser} as at) as moment
   where tenant = ${TENANT} and user_id = '${SHOWN_USER}'`,
  `insert into streak_extensions (tenant, user_id, frequency, period, length, local_date, extended_at)
   select ${TENANT}, '${SHOWN_USER}', 'daily', $1::date - date '1970-01-01' - ago, ${days} - ago, $1::date - ago, $1::date - ago * interval '1 day'
   from generate_series(0, ${days - 1}) as ago`,
];

/**
 * Fills the tables that the console reads, as the relay would have left them. @param now milliseconds since
 * 1970
 */
export async function writeScaleRows(pool: Pool, now: number): Promise<void> {
  const today = new Date(now).toISOString().slice(0, 10);
  await transaction(pool, async (client) => {
    for (let ago = 0; ago <= days + 31; ago += 28) await ensurePartition(client, 'month', now - ago * DAY_MS);
    for (let ago = 0; ago <= DELIVERY_DAYS; ago++) await ensurePartition(client, 'day', now - ago * DAY_MS);
  });
  for (const text of [...USERS, DAILY_COUNTS, ...OPERATIONS, ...REVIEWED, ...HISTORY_OF_USER]) {
    await transaction(pool, (client) => run(client, text, today));
  }
  await pool.query('vacuum analyze');
}

async function run(client: PoolClient, text: string, today: string): Promise<void> {
  await client.query('set local synchronous_commit = off');
  await client.query(text, text.includes('$1') ? [today] : []);
}
