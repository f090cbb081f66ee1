-- A compact form of the history of events: users by number, and awards of points with the event that caused them. The relay writes only
-- these rows; metric_events keeps earlier ones. The views event_history and award_history show both.

-- A user's number in recorded_events. It is given once, and deleted with the user's rows.
create table user_numbers (
  no integer generated always as identity primary key,
  tenant integer not null,
  user_id text not null,
  unique (tenant, user_id)
);

-- Partitions by month of recorded_at (src/db/partitions.ts).
create table recorded_events (
  recorded_at timestamptz not null,
  sequence bigint not null,
  value double precision not null,
  -- The user's total of the metric after the event.
  total double precision not null,
  -- Of the idempotency key (src/base/ids.ts); null without one.
  fingerprint bigint,
  event_id uuid not null,
  user_no integer not null,
  metric integer not null,
  local_date date not null,
  -- Event attributes: { "<no>": value }.
  attributes jsonb,
  -- JSON: [[system, trigger, awarded, total after the award, [boosts]?], …]. As text it takes a quarter of the space of jsonb.
  awards text,
  primary key (user_no, metric, recorded_at, sequence)
) partition by range (recorded_at);
-- Finds the newest awards of a user.
create index recorded_events_awards on recorded_events (user_no, recorded_at) where awards is not null;

-- The id of the n-th award of an event (derivedId in src/base/ids.ts).
create function award_id(event_id uuid, n bigint) returns uuid language sql immutable as $$
  select (left(event_id::text, 32) || lpad(to_hex((('x' || right(event_id::text, 4))::bit(16)::integer + n) & 65535), 4, '0'))::uuid
$$;

create view event_awards as
  select event.user_no, event.recorded_at, event.sequence, (award ->> 2)::double precision as awarded,
    (award ->> 3)::double precision as total, award_id(event.event_id, n) as id, (award ->> 0)::integer as system,
    (award ->> 1)::integer as trigger, event.local_date, n::smallint as n,
    case when award -> 4 is not null then array(select jsonb_array_elements_text(award -> 4)::integer) end as boosts
  from recorded_events event, jsonb_array_elements(event.awards::jsonb) with ordinality as each (award, n)
  where event.awards is not null;

create view event_history as
  select tenant, user_id, metric, recorded_at, sequence, local_date, value, total, event_id, fingerprint, attributes
  from metric_events
  union all
  select tenant, user_id, metric, recorded_at, sequence, local_date, value, total, event_id, fingerprint, attributes
  from recorded_events join user_numbers on no = user_no;

-- points_awards has the awards that no event caused, and those of events that are no longer kept.
create view award_history as
  select tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts
  from points_awards
  union all
  select tenant, user_id, system, recorded_at, sequence, n, id, trigger, local_date, awarded, total, boosts
  from event_awards join user_numbers on no = user_no;

create or replace view metric_totals_daily as
  select d.tenant, d.user_id, m.key as metric, d.metric as metric_no, d.local_date,
    sum(d.events)::bigint as events, sum(d.change::numeric)::float8 as change,
    (array_agg(d.total order by d.last_sequence desc))[1] as total
  from (
    select tenant, user_id, metric, local_date, 1::bigint as events, value as change, total, sequence as last_sequence
    from event_history
    union all
    select tenant, user_id, metric, local_date, events, change, total, last_sequence from metric_days
  ) as d
  left join entities m on m.tenant = d.tenant and m.kind = 'metrics' and m.no = d.metric
  group by d.tenant, d.user_id, m.key, d.metric, d.local_date;

create or replace view points_totals_daily as
  select a.tenant, a.user_id, s.key as points_system, a.system as system_no, a.local_date,
    count(*) as awards, sum(a.awarded) as change,
    (array_agg(a.total order by a.sequence desc, a.n desc))[1] as total
  from award_history a
  left join entities s on s.tenant = a.tenant and s.kind = 'pointsSystems' and s.no = a.system
  group by a.tenant, a.user_id, s.key, a.system, a.local_date;
