-- The state of users as Redis holds it (src/redis/state/userState.ts), so that `laurel restore` can fill a Redis that was lost.
-- Raw bytes: exact to the last digit and ticket, at no cost to the relay, and one decoder knows them.

create table user_snapshots (
  tenant integer not null,
  user_id text not null,
  -- Of the user's last change in the state; an older snapshot never replaces a newer one.
  sequence bigint not null,
  taken_at timestamptz not null,
  hot bytea not null,
  cold bytea not null,
  primary key (tenant, user_id)
-- Room for the next snapshot on the same page: no column of an index changes, so the index is not touched.
) with (fillfactor = 60);

-- What the relay read of the users of a batch, in the transaction that wrote their history; folded into user_snapshots every
-- minute. Few rows of some hundred kilobytes each.
create table relayed_states (
  id bigint generated always as identity primary key,
  tenant integer not null,
  read_at timestamptz not null,
  -- Whose states they are and the states, as src/redis/state/storedStates.ts packs them.
  users bytea not null,
  states bytea not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 20000);
-- Gone within minutes, so not worth compressing.
alter table relayed_states alter column users set storage external, alter column states set storage external;
