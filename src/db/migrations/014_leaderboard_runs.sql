-- The life of leaderboards: what time does to them next, and the runs that are over.

-- When a leaderboard is to be looked at next (src/engine/leaderboards/leaderboardLife.ts); one for which nothing will come has no row, one that was
-- deleted has one until Redis has forgotten it. One query finds what is due, of all tenants.
create table due_leaderboards (
  tenant integer not null references tenants (no) on delete cascade,
  leaderboard integer not null,
  due_at timestamptz not null,
  primary key (tenant, leaderboard)
);
create index due_leaderboards_due on due_leaderboards (due_at);

-- Runs in which anybody took part and whose rankings are final.
create table leaderboard_runs (
  tenant integer not null,
  leaderboard integer not null,
  run_start date not null,
  run_end date not null,
  finalized_at timestamptz not null,
  -- Until the rankings in Redis have been removed.
  is_in_redis boolean not null default true,
  primary key (tenant, leaderboard, run_start)
);

-- Their rankings. Ranks stay as they were given: who is erased leaves a gap.
create table leaderboard_places (
  tenant integer not null,
  leaderboard integer not null,
  run_start date not null,
  -- As in leaderboard_changes.
  ranking_group text not null,
  rank integer not null,
  user_id text not null,
  value double precision not null,
  primary key (tenant, user_id, leaderboard, run_start)
);
-- A group's name may be longer than an index takes.
create index leaderboard_places_rank on leaderboard_places
  (tenant, leaderboard, run_start, hashtextextended(ranking_group, 0), rank);

-- What is there already is looked at once.
insert into due_leaderboards (tenant, leaderboard, due_at)
  select tenant, no, timestamptz '1970-01-01 00:00:00Z' from entities
  where kind = 'leaderboards' and body ->> 'status' in ('scheduled', 'active');

-- The final rankings of runs that are over; of the others what the participants' last changes come to: who was pushed out by others
-- is beyond the limit of participants.
drop view leaderboard_rankings;
create view leaderboard_rankings as
  select ranking.tenant, l.key as leaderboard, ranking.leaderboard as leaderboard_no, run_start, ranking_group,
    place as rank, user_id, value, is_final
  from (
    select tenant, leaderboard, run_start, ranking_group, rank as place, user_id, value, true as is_final
    from leaderboard_places
    union all
    select tenant, leaderboard, run_start, ranking_group, row_number() over (
        partition by tenant, leaderboard, run_start, ranking_group order by value desc, changed_at, user_id)::integer,
      user_id, value, false
    from (
      select distinct on (tenant, leaderboard, run_start, user_id) *
      from leaderboard_changes
      order by tenant, leaderboard, run_start, user_id, last_sequence desc
    ) as latest
    where rank is not null and not exists (
      select from leaderboard_runs run
      where run.tenant = latest.tenant and run.leaderboard = latest.leaderboard and run.run_start = latest.run_start)
  ) as ranking
  left join entities l on l.tenant = ranking.tenant and l.kind = 'leaderboards' and l.no = ranking.leaderboard
  where is_final or place <= coalesce((l.body ->> 'maxParticipants')::integer, place);

-- Who won: the first three of every group of every run that is over.
create view leaderboard_winners as
  select place.tenant, l.key as leaderboard, place.leaderboard as leaderboard_no, place.run_start, run_end, finalized_at,
    ranking_group, rank, user_id, value
  from leaderboard_places place
  join leaderboard_runs run using (tenant, leaderboard, run_start)
  left join entities l on l.tenant = place.tenant and l.kind = 'leaderboards' and l.no = place.leaderboard
  where rank <= 3;
