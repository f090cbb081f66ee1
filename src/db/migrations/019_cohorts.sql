-- Retention: counts of cohorts. A cohort is the users who were created in the same week. Weeks are ordinals since 1970.

-- The user's contribution to the counts. A recount (src/db/figures/cohorts.ts) replaces it with the present one.
create table user_cohorts (
  tenant integer not null,
  user_id text not null,
  -- Week of the creation.
  cohort integer not null,
  control boolean not null,
  -- Step (src/rules/steps.ts) of the longest streak.
  streak integer not null,
  -- { "<no>": "value" }
  attributes jsonb not null,
  -- Weeks with an event, ascending.
  weeks integer[] not null,
  primary key (tenant, user_id)
) with (fillfactor = 70);

create table cohort_counts (
  tenant integer not null,
  -- all, control, streak or the number of a user attribute; `value` is the value in this split.
  split text not null,
  cohort integer not null,
  value text not null,
  -- Weeks after the cohort's own; -1 counts all users of the cohort.
  week integer not null,
  users bigint not null,
  primary key (tenant, split, cohort, value, week)
) with (fillfactor = 70);

-- Users to recount.
create table cohort_changes (
  tenant integer not null,
  user_id text not null,
  primary key (tenant, user_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Number of users with a streak of each length. The trigger count_streaks maintains it from changes of streak_standings.
create table streak_counts (
  tenant integer not null,
  frequency text not null,
  length integer not null,
  users bigint not null,
  primary key (tenant, frequency, length)
) with (fillfactor = 70);

insert into streak_counts (tenant, frequency, length, users)
  select tenant, frequency, length, count(*) from streak_standings where length > 0 group by 1, 2, 3;

-- Rows are written in the order of the key, so that two relays cannot deadlock.
create function count_streaks() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into streak_counts as counted (tenant, frequency, length, users)
    select tenant, frequency, length, sum(users) from (
      select tenant, frequency, length, 1 as users from after
      union all select tenant, frequency, length, -1 from before
    ) as change
    where length > 0 group by 1, 2, 3 having sum(users) <> 0 order by 1, 2, 3
    on conflict (tenant, frequency, length) do update set users = counted.users + excluded.users;
  elsif tg_op = 'INSERT' then
    insert into streak_counts as counted (tenant, frequency, length, users)
    select tenant, frequency, length, count(*) from after where length > 0 group by 1, 2, 3 order by 1, 2, 3
    on conflict (tenant, frequency, length) do update set users = counted.users + excluded.users;
  else
    insert into streak_counts as counted (tenant, frequency, length, users)
    select tenant, frequency, length, -count(*) from before where length > 0 group by 1, 2, 3 order by 1, 2, 3
    on conflict (tenant, frequency, length) do update set users = counted.users + excluded.users;
  end if;
  return null;
end $$;

create trigger streak_standings_inserted after insert on streak_standings referencing new table as after
  for each statement execute function count_streaks();
create trigger streak_standings_updated after update on streak_standings referencing old table as before new table as after
  for each statement execute function count_streaks();
create trigger streak_standings_deleted after delete on streak_standings referencing old table as before
  for each statement execute function count_streaks();

-- Finds the latest completions of an achievement.
create index completed_achievements_latest on completed_achievements (tenant, achievement, completed_at);
