-- For reads of a whole run. A twentieth of the size of the key: few distinct values, each with many rows.
create index leaderboard_changes_run on leaderboard_changes (tenant, leaderboard, run_start);
