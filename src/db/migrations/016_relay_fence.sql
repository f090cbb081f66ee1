-- The number under which relays write: see src/db/history/relayFence.ts.

create sequence relay_fence;
-- Taken, so that the next one is another.
select nextval('relay_fence');
