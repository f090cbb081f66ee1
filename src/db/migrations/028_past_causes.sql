-- Points triggers and boosts as they were before they were changed or deleted. Awards name them by these numbers.
create table past_causes (
  tenant integer not null references tenants (no),
  kind text not null,
  no integer not null,
  -- The only user of a boost; erased and exported with the user.
  user_id text,
  view jsonb not null,
  primary key (tenant, kind, no)
);
create index past_causes_of_user on past_causes (tenant, user_id) where user_id is not null;
