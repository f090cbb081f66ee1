-- Where users stand, for reads about all of them. The relay keeps these tables in the transaction that writes the history; of
-- changes that are written in any order, the one with the highest sequence number tells how things are.

create table points_totals (
  tenant integer not null,
  user_id text not null,
  system integer not null,
  total double precision not null,
  sequence bigint not null,
  primary key (tenant, user_id, system)
) with (fillfactor = 80);

-- How many users have each total above 0: what count_points_totals has made of every change of points_totals.
create table points_counts (
  tenant integer not null,
  system integer not null,
  total double precision not null,
  users bigint not null,
  primary key (tenant, system, total)
) with (fillfactor = 70);

-- In the order of the key, so that two relays cannot wait for each other in a circle.
create function count_points_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into points_counts as counted (tenant, system, total, users)
    select tenant, system, total, sum(users) from (
      select tenant, system, total, 1 as users from after
      union all select tenant, system, total, -1 from before
    ) as change
    where total > 0 group by 1, 2, 3 having sum(users) <> 0 order by 1, 2, 3
    on conflict (tenant, system, total) do update set users = counted.users + excluded.users;
  elsif tg_op = 'INSERT' then
    insert into points_counts as counted (tenant, system, total, users)
    select tenant, system, total, count(*) from after where total > 0 group by 1, 2, 3 order by 1, 2, 3
    on conflict (tenant, system, total) do update set users = counted.users + excluded.users;
  else
    insert into points_counts as counted (tenant, system, total, users)
    select tenant, system, total, -count(*) from before where total > 0 group by 1, 2, 3 order by 1, 2, 3
    on conflict (tenant, system, total) do update set users = counted.users + excluded.users;
  end if;
  return null;
end $$;

create trigger points_totals_inserted after insert on points_totals referencing new table as after
  for each statement execute function count_points_totals();
create trigger points_totals_updated after update on points_totals referencing old table as before new table as after
  for each statement execute function count_points_totals();
create trigger points_totals_deleted after delete on points_totals referencing old table as before
  for each statement execute function count_points_totals();

-- Values of user attributes, named by number; null once the user has been cleared of it.
create table user_attributes (
  tenant integer not null,
  user_id text not null,
  attribute integer not null,
  value text,
  sequence bigint not null,
  primary key (tenant, user_id, attribute)
) with (fillfactor = 80);
create index user_attributes_value on user_attributes (tenant, attribute, value, user_id);

create table streak_standings (
  tenant integer not null,
  user_id text not null,
  frequency text not null check (frequency in ('daily', 'weekly', 'monthly')),
  -- When the user last changed it: it may have been lost since.
  length integer not null,
  last_period integer not null,
  longest integer not null,
  sequence bigint not null,
  primary key (tenant, user_id, frequency)
) with (fillfactor = 80);
create index streak_standings_length on streak_standings (tenant, frequency, length desc, user_id) where length > 0;
create index streak_standings_longest on streak_standings (tenant, frequency, longest desc, user_id);

insert into points_totals (tenant, user_id, system, total, sequence)
  select distinct on (tenant, user_id, system) tenant, user_id, system, total, sequence
  from points_awards order by tenant, user_id, system, sequence desc, n desc;
insert into streak_standings (tenant, user_id, frequency, length, last_period, longest, sequence)
  select tenant, user_id, frequency, (array_agg(length order by period desc))[1], max(period), max(length), 0
  from streak_extensions group by tenant, user_id, frequency;
