-- Users whom an administrator has hidden from a leaderboard. The user's state in Redis says the same and decides.
create table hidden_users (
  tenant integer not null,
  leaderboard integer not null,
  user_id text not null,
  reason text not null,
  hidden_at timestamptz not null,
  primary key (tenant, leaderboard, user_id)
);
-- For export and erasure.
create index hidden_users_user on hidden_users (tenant, user_id);
