-- Sums of a day are decimal, like totals: a float8 becomes a numeric of 15 digits, and numerics are added exactly.
create or replace view metric_totals_daily as
  select d.tenant, d.user_id, m.key as metric, d.metric as metric_no, d.local_date,
    sum(d.events)::bigint as events, sum(d.change::numeric)::float8 as change,
    (array_agg(d.total order by d.last_sequence desc))[1] as total
  from (
    select tenant, user_id, metric, local_date, 1::bigint as events, value as change, total, sequence as last_sequence
    from metric_events
    union all
    select tenant, user_id, metric, local_date, events, change, total, last_sequence from metric_days
  ) as d
  left join entities m on m.tenant = d.tenant and m.kind = 'metrics' and m.no = d.metric
  group by d.tenant, d.user_id, m.key, d.metric, d.local_date;
