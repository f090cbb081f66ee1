-- Deliveries of webhooks and notifications. The relay writes a row in the transaction that writes the reported change; a worker sends
-- it and records the outcome in the same row. Partitions are days of created_at (src/db/partitions.ts, src/db/deliveries/deliveryRetention.ts).
-- id and created_at are derived from the reported change (deliveryId in src/base/ids.ts), so a row is never written twice.

create table webhook_deliveries (
  id uuid not null,
  -- Instant of the reported change.
  created_at timestamptz not null,
  tenant integer not null,
  -- Id of the webhook in `entities`.
  webhook uuid not null,
  -- Null if the delivery is not about one user.
  user_id text,
  type text not null,
  -- pending, sent, failed (given up) or dropped (nothing to send); `reason` says why.
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'dropped')),
  reason text,
  -- Time of the next attempt.
  due_at timestamptz not null,
  finished_at timestamptz,
  attempts smallint not null default 0,
  -- The body, the same for every attempt. Null until the first attempt if the body shows the state at that moment.
  payload text,
  -- Data from which such a body is rendered.
  facts jsonb,
  -- The last request (headers), the last response (status, headers, start of the body), and one log entry for each attempt.
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

-- Finds the tenants with active webhooks or templates, for every batch that the relay writes.
create index entities_outlets on entities (tenant)
  where kind in ('webhooks', 'notificationTemplates') and body ->> 'status' = 'active';
