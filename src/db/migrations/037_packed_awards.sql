-- The view event_awards also shows the JSON that holds an award, so that a search for awards of one system need not unpack the others.
create or replace view event_awards as
  select event.user_no, event.recorded_at, event.sequence, (award ->> 2)::double precision as awarded,
    (award ->> 3)::double precision as total, award_id(event.event_id, n) as id, (award ->> 0)::integer as system,
    (award ->> 1)::integer as trigger, event.local_date, n::smallint as n,
    case when award -> 4 is not null then array(select jsonb_array_elements_text(award -> 4)::integer) end as boosts,
    event.awards as packed
  from recorded_events event, jsonb_array_elements(event.awards::jsonb) with ordinality as each (award, n)
  where event.awards is not null;
