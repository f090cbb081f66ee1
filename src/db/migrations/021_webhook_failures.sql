-- Webhooks whose last delivery failed, and since when none has succeeded.
create table webhook_failures (
  webhook uuid primary key,
  failing_since timestamptz not null
);
