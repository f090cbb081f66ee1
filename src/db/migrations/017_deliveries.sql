-- What is to be sent, and what became of it. The relay writes a row in the transaction that writes what happened; a worker sends it
-- and records the outcome in the same row. Partitions are days of created_at (src/db/partitions.ts, src/db/deliveryRetention.ts).
-- The id follows from what happened (deliveryId in src/base/ids.ts), and so does created_at: a row is never written twice.

create table webhook_deliveries (
  id uuid not null,
  -- The instant of what is reported.
  created_at timestamptz not null,
  tenant integer not null,
  -- Id of the webhook in `entities`.
  webhook uuid not null,
  -- Null when it concerns no single user.
  user_id text,
  type text not null,
  -- pending, sent, failed (given up) or dropped (nothing to send); `reason` says why.
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'dropped')),
  reason text,
  -- When it is to be sent, or sent again.
  due_at timestamptz not null,
  finished_at timestamptz,
  attempts smallint not null default 0,
  -- The body, as every attempt sends it. Null until the first attempt where it shows what is at that moment.
  payload text,
  -- What such a body is made of.
  facts jsonb,
  -- The last request (headers) and response (status, headers, the start of the body), and a line an attempt.
  request jsonb,
  response jsonb,
  log jsonb not null default '[]',
  primary key (id, created_at)
) partition by range (created_at);
create index webhook_deliveries_due on webhook_deliveries (webhook, due_at) where status = 'pending';
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook, id);
create index webhook_deliveries_of_user on webhook_deliveries (tenant, user_id) where user_id is not null;

create table notification_deliveries (
  id uuid not null,
  created_at timestamptz not null,
  tenant integer not null,
  user_id text not null,
  channel text not null check (channel in ('email', 'push')),
  type text not null,
  -- pending, sent, failed (given up) or suppressed (not to be sent); `reason` says why.
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'suppressed')),
  reason text,
  due_at timestamptz not null,
  finished_at timestamptz,
  attempts smallint not null default 0,
  -- What the message is about.
  facts jsonb,
  primary key (id, created_at)
) partition by range (created_at);
create index notification_deliveries_due on notification_deliveries (channel, due_at) where status = 'pending';
create index notification_deliveries_of_user on notification_deliveries (tenant, user_id, id);

-- Tenants that are to be told of anything: looked up for every batch that the relay writes.
create index entities_outlets on entities (tenant)
  where kind in ('webhooks', 'notificationTemplates') and body ->> 'status' = 'active';
