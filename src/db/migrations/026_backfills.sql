-- Tenants with a history from before the roll-ups. A schedule counts it (workers/jobs/figures.ts) and then deletes the row.
create table figure_backfills (
  tenant integer primary key references tenants (no) on delete cascade,
  -- Id of the last processed user; users are processed in the order of their ids. Null when all are done.
  last_user text default '',
  -- The day, in the tenant's time zone, on which the relay began to count; set by the first run.
  until date,
  -- The last recounted day.
  counted_to date
);
insert into figure_backfills (tenant) select no from tenants where exists (select from users where users.tenant = tenants.no);

-- Sizes of cohorts, by which the largest groups are found.
create index cohort_counts_size on cohort_counts (tenant, split, cohort) include (value, users) where week = -1;
