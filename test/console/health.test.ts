import { expect, test } from 'vitest';
import { healthOf } from '../../src/console/api/health.ts';
import type { Status } from '../../src/contract/status.ts';

/** What the console says of the service, by its status. */
const well: Status = {
  version: '1.0.0',
  now: '2026-06-01T12:00:00.000Z',
  testClock: null,
  server: { eventsPending: 0, liveSubscribers: 0 },
  outbox: { entries: 3, oldestSeconds: 1, relaySilentSeconds: 0.1 },
  processes: [],
  queues: [],
  reviews: [],
  deliveries: [{ channel: 'webhooks', oldestSeconds: 30 }],
  leaderboardsOverdue: 0,
  deadEntries: 0,
};
const behind = { entries: 900, oldestSeconds: 26, relaySilentSeconds: 0.1 };

test.each<[string, Partial<Status> | null, string, string, string | null]>([
  ['nothing is wrong', {}, 'green', 'All systems operational.', null],
  ['the server is away', null, 'red', 'Can’t reach laurel.', 'LaurelDown'],
  ['Redis is away', { outbox: null, queues: null }, 'red', 'Redis does not answer.', 'LaurelRedisAway'],
  [
    'PostgreSQL is away',
    { deadEntries: null, deliveries: null, leaderboardsOverdue: null },
    'red',
    'PostgreSQL does not answer.',
    'LaurelPostgresAway',
  ],
  [
    'no worker answers',
    { outbox: { ...behind, relaySilentSeconds: 20 } },
    'red',
    'The history is 26 seconds behind; no worker answers.',
    'LaurelRelayBehind',
  ],
  [
    'a worker is slow',
    { outbox: behind },
    'amber',
    'The history is 26 seconds behind; a worker is catching up.',
    'LaurelRelayBehind',
  ],
  ['an entry is dead', { deadEntries: 1 }, 'amber', '1 entry could not be stored.', 'LaurelDeadEntries'],
  [
    'leaderboards are late',
    { leaderboardsOverdue: 2 },
    'amber',
    '2 leaderboards are overdue.',
    'LaurelLeaderboardsOverdue',
  ],
  [
    'webhooks are late',
    { deliveries: [{ channel: 'webhooks', oldestSeconds: 660 }] },
    'amber',
    'Deliveries by webhooks are 11 min late.',
    'LaurelDeliveriesLate',
  ],
])('%s', (_title, change, level, cause, runbook) => {
  const health = healthOf(change && { ...well, ...change });
  expect(health).toMatchObject({ level, runbook });
  expect(health.cause.startsWith(cause)).toBe(true);
});
