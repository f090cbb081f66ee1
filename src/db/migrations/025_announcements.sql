-- Boosts and leaderboards whose start and end are reported to webhooks: what was reported last, and when to check again.
create table announcements (
  tenant integer not null,
  kind text not null check (kind in ('pointsBoosts', 'leaderboards')),
  no integer not null,
  -- The status of a boost, or the first day of a leaderboard's run; null if nothing has been reported yet; 'unknown' for entities
  -- older than this table, whose present state counts as reported.
  announced text,
  -- Null for never, until the configuration changes.
  due_at timestamptz,
  primary key (tenant, kind, no)
);
create index announcements_due on announcements (due_at);
insert into announcements (tenant, kind, no, announced, due_at)
  select tenant, kind, no, 'unknown', updated from entities where kind in ('pointsBoosts', 'leaderboards');
