-- Sums of daily_figures by month, of figures that are read by detail over long ranges. Triggers keep them, so they follow every change,
-- of an earlier version too.
create table monthly_figures (
  tenant integer not null,
  figure text not null,
  no integer not null,
  -- First day.
  month date not null,
  detail text not null,
  count bigint not null,
  sum double precision not null,
  primary key (tenant, figure, no, month, detail)
) with (fillfactor = 70);

create function has_monthly_sums(figure text) returns boolean language sql immutable as $$
  select figure in ('completions', 'completionDays', 'pointsGained', 'pointsSpent', 'streaksLost')
$$;

-- Rows are written in the order of the key, so that two transactions cannot deadlock.
create function add_to_months() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into monthly_figures as counted (tenant, figure, no, month, detail, count, sum)
    select tenant, figure, no, date_trunc('month', day::timestamp)::date, detail, sum(count), sum(sum) from (
      select tenant, figure, day, no, detail, count, sum from after where has_monthly_sums(figure)
      union all select tenant, figure, day, no, detail, -count, -sum from before where has_monthly_sums(figure)
    ) as change
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant, figure, no, month, detail) do update set count = counted.count + excluded.count, sum = counted.sum + excluded.sum;
  elsif tg_op = 'INSERT' then
    insert into monthly_figures as counted (tenant, figure, no, month, detail, count, sum)
    select tenant, figure, no, date_trunc('month', day::timestamp)::date, detail, sum(count), sum(sum)
    from after where has_monthly_sums(figure) group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant, figure, no, month, detail) do update set count = counted.count + excluded.count, sum = counted.sum + excluded.sum;
  else
    insert into monthly_figures as counted (tenant, figure, no, month, detail, count, sum)
    select tenant, figure, no, date_trunc('month', day::timestamp)::date, detail, -sum(count), -sum(sum)
    from before where has_monthly_sums(figure) group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (tenant, figure, no, month, detail) do update set count = counted.count + excluded.count, sum = counted.sum + excluded.sum;
  end if;
  return null;
end $$;

create trigger daily_figures_inserted after insert on daily_figures referencing new table as after
  for each statement execute function add_to_months();
create trigger daily_figures_updated after update on daily_figures referencing old table as before new table as after
  for each statement execute function add_to_months();
create trigger daily_figures_deleted after delete on daily_figures referencing old table as before
  for each statement execute function add_to_months();

insert into monthly_figures (tenant, figure, no, month, detail, count, sum)
  select tenant, figure, no, date_trunc('month', day::timestamp)::date, detail, sum(count), sum(sum)
  from daily_figures where has_monthly_sums(figure) group by 1, 2, 3, 4, 5;
