-- What has been activated and is to be given to those who had come to qualify for it before: one row a change of configuration,
-- and a second one where a leaderboard's first day has not begun everywhere.

create table activations (
  id bigint generated always as identity primary key,
  tenant integer not null references tenants (no) on delete cascade,
  -- Of the configuration: nobody is given anything before it is in force.
  version bigint not null,
  -- [{ "kind", "id" }, …]
  activated jsonb not null,
  due_at timestamptz not null,
  -- Users are gone through in the order of their ids; this is the last one done.
  last_user text not null default '',
  users_done bigint not null default 0,
  -- Null until it is begun.
  users_total bigint,
  finished_at timestamptz
);
create index activations_open on activations (due_at) where finished_at is null;
create index activations_tenant on activations (tenant, id);
