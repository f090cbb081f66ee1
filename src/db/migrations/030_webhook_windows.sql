-- The latest delivery of each webhook about something that changes continuously, such as the points of a user. While it is due in the
-- future, it covers further changes; the next one follows WEBHOOK_THROTTLE_MS after it (src/db/deliveries/webhookWindows.ts). Rows are deleted
-- after a day (src/db/deliveries/deliveryRetention.ts).
create table webhook_windows (
  webhook uuid not null,
  -- Hash of the event type and of what the deliveries are about.
  subject uuid not null,
  due_at timestamptz not null,
  -- Sequence number of the user's last change that a delivery has shown, for deliveries that list changes.
  shown bigint,
  primary key (webhook, subject)
) with (fillfactor = 80);
