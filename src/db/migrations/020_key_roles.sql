-- Permissions of an admin key; each role includes the previous one. Application keys ignore the role.
alter table api_keys add column role text not null default 'admin' check (role in ('read', 'operate', 'admin'));

-- Name of the actor's key at that time.
alter table audit_log add column actor_name text;
