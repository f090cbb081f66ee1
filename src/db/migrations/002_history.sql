-- What happened, as the relay writes it. Configured things are named by tenant and number (`no` in `entities`); the views
-- at the end put the keys in. Rows are written once and carry their own identity, so writing them again changes nothing:
-- every change of a user has a sequence number, and with the instant it is unique even if a store was set back in time.
-- Instants are those of the event, dates are local to the user. No statement reads a clock.

-- The registry of users: one row at the change that created the user.
create table users (
  tenant integer not null,
  user_id text not null,
  created_at timestamptz not null,
  primary key (tenant, user_id)
);

-- Partitions by month of recorded_at are made by src/db/partitions.ts. The primary key is also the index for reads of a
-- user's metric: 190 bytes an event, where a key of stream ids beside such an index took 273.
create table metric_events (
  recorded_at timestamptz not null,
  sequence bigint not null,
  value double precision not null,
  -- The user's total of the metric after the event.
  total double precision not null,
  -- Of the idempotency key (src/base/ids.ts); null without one.
  fingerprint bigint,
  event_id uuid not null,
  tenant integer not null,
  metric integer not null,
  local_date date not null,
  user_id text not null,
  -- Event attributes: { "<no>": value }.
  attributes jsonb,
  primary key (tenant, user_id, metric, recorded_at, sequence)
) partition by range (recorded_at);

-- By month, too. The primary key answers "newest awards of a user and system".
create table points_awards (
  recorded_at timestamptz not null,
  sequence bigint not null,
  -- Whole numbers, in the type that the scripts count in.
  awarded double precision not null,
  -- The user's total of the system after the award.
  total double precision not null,
  -- The id that the response to the event showed.
  id uuid not null,
  tenant integer not null,
  system integer not null,
  trigger integer not null,
  local_date date not null,
  -- Counts the awards of one change, from 1.
  n smallint not null,
  user_id text not null,
  -- Numbers of the boosts that applied.
  boosts integer[],
  primary key (tenant, user_id, system, recorded_at, sequence, n)
) partition by range (recorded_at);

create table completed_achievements (
  tenant integer not null,
  user_id text not null,
  achievement integer not null,
  completed_at timestamptz not null,
  local_date date not null,
  primary key (tenant, user_id, achievement)
);

-- The periods in which a user's streak grew.
create table streak_extensions (
  tenant integer not null,
  user_id text not null,
  frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
  -- Days, weeks or months since 1970 (src/rules/calendar.ts).
  period integer not null,
  -- After the extension.
  length integer not null,
  local_date date not null,
  extended_at timestamptz not null,
  primary key (tenant, user_id, frequency, period)
);

-- A user's day on a leaderboard: where it began and where it has come to. Rank null is "not ranked".
create table leaderboard_changes (
  tenant integer not null,
  user_id text not null,
  leaderboard integer not null,
  run_start date not null,
  local_date date not null,
  -- Values of the breakdown attributes, each with its length ("6:london"); empty without breakdown.
  ranking_group text not null,
  rank integer,
  value double precision not null,
  previous_rank integer,
  previous_value double precision not null,
  changed_at timestamptz not null,
  -- Of the first and last change of the day: changes may be written in any order.
  first_sequence bigint not null,
  last_sequence bigint not null
) with (fillfactor = 80);
-- A group's name may be longer than an index takes.
create unique index leaderboard_changes_key on leaderboard_changes
  (tenant, user_id, leaderboard, run_start, local_date, hashtextextended(ranking_group, 0));

-- Outbox entries that could not be understood or stored: kept whole, so that nothing is lost and the stream goes on.
create table dead_entries (
  tenant integer not null,
  shard integer not null,
  entry_id text not null,
  reason text not null,
  -- Names and values in turn.
  fields bytea[] not null,
  died_at timestamptz not null,
  primary key (tenant, shard, entry_id)
);

create view metric_totals_daily as
  select e.tenant, e.user_id, m.key as metric, e.metric as metric_no, e.local_date,
    count(*) as events, sum(e.value) as change, (array_agg(e.total order by e.sequence desc))[1] as total
  from metric_events e
  left join entities m on m.tenant = e.tenant and m.kind = 'metrics' and m.no = e.metric
  group by e.tenant, e.user_id, m.key, e.metric, e.local_date;

create view points_totals_daily as
  select a.tenant, a.user_id, s.key as points_system, a.system as system_no, a.local_date,
    count(*) as awards, sum(a.awarded) as change,
    (array_agg(a.total order by a.sequence desc, a.n desc))[1] as total
  from points_awards a
  left join entities s on s.tenant = a.tenant and s.kind = 'pointsSystems' and s.no = a.system
  group by a.tenant, a.user_id, s.key, a.system, a.local_date;

create view achievement_completions as
  select c.tenant, c.user_id, a.key as achievement, a.body ->> 'name' as achievement_name, c.achievement as achievement_no,
    c.completed_at, c.local_date
  from completed_achievements c
  left join entities a on a.tenant = c.tenant and a.kind = 'achievements' and a.no = c.achievement;

-- Week 0 began on Monday, 29 December 1969.
create view streak_periods as
  select tenant, user_id, frequency, period_start,
    case frequency
      when 'daily' then period_start
      when 'weekly' then period_start + 6
      else (period_start + interval '1 month')::date - 1
    end as period_end,
    length, extended_at
  from (
    select *, case frequency
        when 'daily' then date '1970-01-01' + period
        when 'weekly' then date '1969-12-29' + period * 7
        else make_date(1970 + period / 12, period % 12 + 1, 1)
      end as period_start
    from streak_extensions
  ) as extension;

-- Every run as its participants' last changes left it; who was pushed out by others is beyond the limit of participants.
create view leaderboard_rankings as
  select ranking.tenant, l.key as leaderboard, ranking.leaderboard as leaderboard_no, run_start, ranking_group,
    place as rank, user_id, value, changed_at
  from (
    select *, row_number() over (
        partition by tenant, leaderboard, run_start, ranking_group order by value desc, changed_at, user_id) as place
    from (
      select distinct on (tenant, leaderboard, run_start, user_id) *
      from leaderboard_changes
      order by tenant, leaderboard, run_start, user_id, last_sequence desc
    ) as latest
    where rank is not null
  ) as ranking
  left join entities l on l.tenant = ranking.tenant and l.kind = 'leaderboards' and l.no = ranking.leaderboard
  where place <= coalesce((l.body ->> 'maxParticipants')::integer, place);
