-- Deliveries of notifications by day, type, channel and present status, as a daily figure. A trigger keeps it.

-- The day of created_at in the tenant's time zone; null for deliveries of an earlier version, which count by the day in UTC.
alter table notification_deliveries add column day date;

create function count_notifications() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into daily_figures as counted (tenant, figure, day, no, detail, count, sum)
    select tenant, 'notifications', day, 0, detail, sum(deliveries), 0 from (
      select tenant, coalesce(day, (created_at at time zone 'UTC')::date) as day,
        concat_ws(' ', type, channel, status) as detail, 1 as deliveries from after
      union all select tenant, coalesce(day, (created_at at time zone 'UTC')::date),
        concat_ws(' ', type, channel, status), -1 from before
    ) as change
    group by 1, 3, 5 having sum(deliveries) <> 0 order by 1, 3, 5
    on conflict (tenant, figure, day, no, detail) do update set count = counted.count + excluded.count;
  else
    insert into daily_figures as counted (tenant, figure, day, no, detail, count, sum)
    select tenant, 'notifications', coalesce(day, (created_at at time zone 'UTC')::date), 0,
      concat_ws(' ', type, channel, status), count(*), 0
    from after group by 1, 3, 5 order by 1, 3, 5
    on conflict (tenant, figure, day, no, detail) do update set count = counted.count + excluded.count;
  end if;
  return null;
end $$;

create trigger notifications_inserted after insert on notification_deliveries referencing new table as after
  for each statement execute function count_notifications();
create trigger notifications_updated after update on notification_deliveries referencing old table as before new table as after
  for each statement execute function count_notifications();

insert into daily_figures (tenant, figure, day, no, detail, count, sum)
  select tenant, 'notifications', (created_at at time zone 'UTC')::date, 0, concat_ws(' ', type, channel, status), count(*), 0
  from notification_deliveries group by 1, 3, 5;

-- The newest deliveries of a tenant, and those that were given up.
create index notification_deliveries_newest on notification_deliveries (tenant, created_at desc, id desc);
create index notification_deliveries_failed on notification_deliveries (channel, reason, created_at) where status = 'failed';
create index webhook_deliveries_failed on webhook_deliveries (reason, created_at) where status = 'failed';
