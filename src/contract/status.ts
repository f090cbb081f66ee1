import Type from 'typebox';
import { operation } from './operation.ts';
import { Instant, instant, integer, named, nullable, text } from './schemas.ts';

/** How the service does its work in the background. A part that cannot be read is null. */

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number({ minimum: 0 });
const Channel = Type.Enum(['webhooks', 'email', 'push']);

export const Status = named('Status', {
  version: text('Of laurel.'),
  now: Instant,
  testClock: nullable(Type.Object({ stopped: Type.Boolean() }, { description: 'null if it is off.' })),
  server: Type.Object(
    { eventsPending: Count, liveSubscribers: Count },
    {
      description:
        'Of the server that answers: events not yet answered, and connections that watch a leaderboard.',
    },
  ),
  outbox: nullable(
    Type.Object(
      {
        entries: Count,
        oldestSeconds: Seconds,
        relaySilentSeconds: nullable(
          Type.Number({
            minimum: 0,
            description: 'Since a worker last asked for entries; null if none ever did.',
          }),
        ),
      },
      { description: 'What is not in PostgreSQL yet.' },
    ),
  ),
  processes: nullable(
    Type.Array(
      Type.Object({
        kind: Type.Enum(['server', 'worker']),
        host: Type.String(),
        pid: Type.Integer(),
        version: Type.String(),
        started: Instant,
        silentSeconds: Seconds,
      }),
      { description: 'Servers and workers that gave a sign of life in the last 5 minutes.' },
    ),
  ),
  queues: nullable(
    Type.Array(
      Type.Object({ queue: Type.String(), waiting: Count, active: Count, delayed: Count, failed: Count }),
      { description: 'Jobs of the workers.' },
    ),
  ),
  reviews: nullable(
    Type.Array(
      Type.Object({
        tenant: integer('Number of the tenant.'),
        version: integer('Version of the configuration that changed the rules.'),
        reviewed: Count,
        users: Count,
      }),
      {
        description:
          'Reviews of all users of a tenant after a change of the rules of streaks, freezes or time.',
      },
    ),
  ),
  deliveries: nullable(
    Type.Array(Type.Object({ channel: Channel, oldestSeconds: nullable(Seconds) }), {
      description: 'How long the longest due delivery of each channel has been due; null if none is due.',
    }),
  ),
  leaderboardsOverdue: nullable(
    Type.Integer({ minimum: 0, description: 'Leaderboards that were due more than a minute ago.' }),
  ),
  deadEntries: nullable(
    Type.Integer({ minimum: 0, description: 'Outbox entries that could not be stored.' }),
  ),
});
export type Status = Type.Static<typeof Status>;

export const GetStatus = operation({
  name: 'getStatus',
  route: 'GET /status',
  tag: 'Operations',
  summary: 'Get the state of the work in the background',
  description: 'Shows the values of `/metrics` that tell whether work piles up.',
  scope: 'account',
  responses: { 200: Status },
});

export const ListDead = operation({
  name: 'getDead',
  route: 'GET /dead',
  tag: 'Operations',
  summary: 'List what was given up',
  description:
    'Outbox entries that could not be stored, the oldest 1,000, and the failed deliveries by channel and reason.',
  scope: 'account',
  responses: {
    200: named('Dead', {
      entries: Type.Array(
        Type.Object({
          entryId: text('Id in the outbox.'),
          tenant: nullable(integer('Number of the tenant. null if it cannot be read.')),
          reason: Type.String(),
          diedAt: Instant,
        }),
      ),
      deliveries: Type.Array(
        Type.Object({
          channel: Channel,
          reason: nullable(Type.String()),
          count: Count,
          oldest: Instant,
          newest: Instant,
        }),
      ),
    }),
  },
});

export const ReplayDead = operation({
  name: 'replayAllDead',
  route: 'POST /dead/replay',
  tag: 'Operations',
  summary: 'Try again what was given up',
  description:
    'Puts dead entries back into the outbox and sends failed deliveries again. An entry that still cannot be stored is listed again.',
  role: 'operate',
  scope: 'account',
  request: Type.Object(
    { since: Type.Optional(instant('Only deliveries created since then.')) },
    { examples: [{ since: '2026-11-20T08:00:00Z' }] },
  ),
  responses: {
    200: named(
      'Replayed',
      { entries: Count, webhooks: Count, notifications: Count },
      { description: 'Numbers of entries and deliveries that are tried again.' },
    ),
  },
});
