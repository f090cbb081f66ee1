-- What stays of metric events that are older than they are kept (src/db/retention.ts).

create table metric_days (
  tenant integer not null,
  user_id text not null,
  metric integer not null,
  local_date date not null,
  events bigint not null,
  -- Sum of the values.
  change double precision not null,
  -- The user's total of the metric after the last of these events, and that event's sequence.
  total double precision not null,
  last_sequence bigint not null,
  primary key (tenant, user_id, metric, local_date)
);

-- Idempotency keys used in a month: 16 bytes a key.
create table used_fingerprints (
  tenant integer not null,
  user_id text not null,
  metric integer not null,
  fingerprints bigint[] not null,
  -- When each of them was used.
  used_at timestamptz[] not null
);
create index used_fingerprints_user on used_fingerprints (tenant, user_id);

-- As before, over events that are kept and days of those that are not. A day at the end of a month may have some of both.
create or replace view metric_totals_daily as
  select d.tenant, d.user_id, m.key as metric, d.metric as metric_no, d.local_date,
    sum(d.events)::bigint as events, sum(d.change) as change, (array_agg(d.total order by d.last_sequence desc))[1] as total
  from (
    select tenant, user_id, metric, local_date, 1::bigint as events, value as change, total, sequence as last_sequence
    from metric_events
    union all
    select tenant, user_id, metric, local_date, events, change, total, last_sequence from metric_days
  ) as d
  left join entities m on m.tenant = d.tenant and m.kind = 'metrics' and m.no = d.metric
  group by d.tenant, d.user_id, m.key, d.metric, d.local_date;
