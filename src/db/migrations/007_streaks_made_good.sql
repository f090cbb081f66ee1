-- What kept the streak in a period that was missed; null for a period in which it grew.
alter table streak_extensions add column made_good_by text check (made_good_by in ('freeze', 'pause'));
