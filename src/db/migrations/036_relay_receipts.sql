-- One row for each of the latest transactions of relays. Redis notes the token when the entries leave the outboxes, and the relay's next
-- transaction notes that. So a store that was restored from an older copy is noticed (src/engine/recovery/receipts.ts).
create table relay_receipts (
  no bigint generated always as identity primary key,
  token uuid not null unique,
  cells int4[] not null,
  written_at timestamptz not null,
  is_noted boolean not null default false
);
