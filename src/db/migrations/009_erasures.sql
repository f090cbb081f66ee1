-- Users who are to be erased: from here on until nothing of them is left. Whoever asked has been promised it.

create table erasures (
  tenant integer not null references tenants (no) on delete cascade,
  user_id text not null,
  requested_at timestamptz not null,
  -- Nothing is left; what remains is to let somebody new have the id.
  is_done boolean not null default false,
  primary key (tenant, user_id)
);
