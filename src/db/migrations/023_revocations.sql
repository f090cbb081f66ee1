-- Revoked completions. A completion at or before revoked_at is not written, in whatever order the relays write.
create table revoked_completions (
  tenant integer not null,
  user_id text not null,
  achievement integer not null,
  revoked_at timestamptz not null,
  primary key (tenant, user_id, achievement, revoked_at)
);
