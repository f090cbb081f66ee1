-- Whom a change concerns, in a column of its own, so that an erasure finds it.

update audit_log set before = nullif(before, 'null'), after = nullif(after, 'null');
alter table audit_log add column user_id text;
update audit_log
  set user_id = coalesce(after ->> 'userId', before ->> 'userId'), before = before - 'userId', after = after - 'userId'
  where before ? 'userId' or after ? 'userId';
create index audit_log_user on audit_log (tenant, user_id, id) where user_id is not null;
