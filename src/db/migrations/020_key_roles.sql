-- What an admin key may do; each role includes the one before. Application keys act for their user whatever it says.
alter table api_keys add column role text not null default 'admin' check (role in ('read', 'operate', 'admin'));

-- The name that the actor's key had.
alter table audit_log add column actor_name text;
