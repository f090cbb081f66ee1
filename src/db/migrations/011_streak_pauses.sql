-- Whose pause an id names. Also of pauses that were refused, or ended long ago.
create table streak_pauses (
  tenant integer not null,
  id uuid not null,
  user_id text not null,
  primary key (tenant, id)
);
