-- Webhooks whose last delivery failed, and when the series of failures began.
create table webhook_failures (
  webhook uuid primary key,
  failing_since timestamptz not null
);
