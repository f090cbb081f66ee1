-- Columns by which users are listed and searched. The relay maintains them; workers/jobs/figures.ts fills in earlier users.

alter table users
  add column name text,
  add column email text,
  -- Null until it is filled in.
  add column control boolean,
  -- Sequence numbers of the changes that set name and email, because changes may be written in any order.
  add column name_sequence bigint not null default 0,
  add column email_sequence bigint not null default 0;

-- Byte order makes a prefix a range in every collation. Names are cut because an index entry has a maximum length.
create index users_created on users (tenant, created_at, user_id collate "C");
create index users_id on users (tenant, user_id collate "C");
create index users_name on users (tenant, (left(lower(name), 100) collate "C"), user_id collate "C") where name is not null;
create index users_email on users (tenant, (left(lower(email), 100) collate "C"), user_id collate "C") where email is not null;

-- The days on which a user had an event: one row for each metric of the user, and one with metric 0 for all metrics. Days are ordinals
-- since 1970, in the tenant's time zone. A year takes 46 bytes.
create table user_activity (
  tenant integer not null,
  user_id text not null,
  metric integer not null,
  first_day integer not null,
  -- One bit for each day from the first to the last active day; the first and the last bit are 1.
  days bit varying not null,
  primary key (tenant, user_id, metric)
) with (fillfactor = 80);
create function has_day(first_day integer, days bit varying, day integer) returns boolean language sql immutable as $$
  select case when day < first_day or day >= first_day + length(days) then false else get_bit(days, day - first_day) = 1 end
$$;

create function with_day(first_day integer, days bit varying, day integer) returns bit varying language sql immutable as $$
  select case
    when day < first_day then B'1' || repeat('0', first_day - day - 1)::bit varying || days
    when day >= first_day + length(days) then days || repeat('0', day - first_day - length(days))::bit varying || B'1'
    else set_bit(days, day - first_day, 1)
  end
$$;

create index user_activity_last on user_activity (tenant, (first_day + length(days)), user_id collate "C") where metric = 0;

-- Lost streaks, and freezes earned by the passing of time.
create table streak_losses (
  tenant integer not null,
  user_id text not null,
  frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
  -- The last period that was extended or made good.
  period integer not null,
  length integer not null,
  lost_at timestamptz not null,
  primary key (tenant, user_id, frequency, period)
);
create table earned_freezes (
  tenant integer not null,
  user_id text not null,
  earned_at timestamptz not null,
  freezes integer not null,
  primary key (tenant, user_id, earned_at)
);

-- Outbox entries whose figures have been added to the roll-ups and which may still be in the outbox. If such an entry is written again,
-- it is not counted again.
create table counted_entries (
  shard integer not null,
  entry_id text not null,
  primary key (shard, entry_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Figures by day of the tenant's time zone; src/db/figures/figures.ts lists them.
create table daily_figures (
  tenant integer not null,
  figure text not null,
  day date not null,
  -- Number of the entity; 0 for a figure of the whole tenant.
  no integer not null,
  detail text not null,
  count bigint not null,
  sum double precision not null,
  primary key (tenant, figure, day, no, detail)
) with (fillfactor = 70);
