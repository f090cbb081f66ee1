-- Addresses that a mail server has refused permanently. A suppression ends when the user's address changes.
create table suppressed_addresses (
  tenant integer not null,
  user_id text not null,
  address text not null,
  reason text not null,
  suppressed_at timestamptz not null,
  primary key (tenant, user_id)
);
