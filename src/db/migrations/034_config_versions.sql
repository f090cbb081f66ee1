-- The version of the configuration that a change made; null for what is no part of a configuration. A process of an earlier version names
-- no version: -1, unknown.
alter table audit_log add column version bigint default -1;
create index audit_log_version on audit_log (tenant, version, id) where version is not null;
