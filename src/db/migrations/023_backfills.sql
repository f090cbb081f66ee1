-- Tenants whose history was written before the roll-ups were kept. A schedule works it off (workers/backfills.ts) and removes the row.
create table figure_backfills (
  tenant integer primary key references tenants (no) on delete cascade,
  -- Users are processed in the order of their ids; null once all of them are done.
  last_user text default '',
  -- The day, local to the tenant, on which the relay began to count; set by the first run.
  until date,
  -- The last day that was counted anew.
  counted_to date
);
insert into figure_backfills (tenant) select no from tenants where exists (select from users where users.tenant = tenants.no);

-- Sizes of cohorts, by which the largest groups are found.
create index cohort_counts_size on cohort_counts (tenant, split, cohort) include (value, users) where week = -1;
