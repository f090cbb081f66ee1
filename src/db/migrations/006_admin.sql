-- What the Admin API needs besides the configuration itself.

-- The version that has been put in force in Redis; behind `version` while a change has been stored but not yet published.
alter table tenants add column published bigint not null default -1;
create index tenants_unpublished on tenants (no) where published < version;

-- Who changed what, when; written in the transaction of the change.
create table audit_log (
  tenant integer not null references tenants (no),
  id bigint generated always as identity,
  at timestamptz not null,
  -- Prefix of the key, or the command.
  actor text not null,
  action text not null check (action in ('create', 'update', 'delete')),
  kind text not null,
  -- Null for the streak and the settings, of which there is one.
  entity uuid,
  before jsonb,
  after jsonb,
  primary key (tenant, id)
);
create index audit_log_entity on audit_log (tenant, entity, id) where entity is not null;

alter table api_keys add column name text not null default '';
create index api_keys_tenant on api_keys (tenant, created, id);
