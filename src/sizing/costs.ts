/**
 * Measured costs of a full event (bench/config.yaml). CPU was measured while other programs used the same two cores, so it is an upper
 * estimate. docs/sizing.md explains how to measure them elsewhere.
 */
export interface Cost {
  what: string;
  value: number;
  unit: 'µs' | 'bytes';
  /** The measurement: a scenario of `npm run bench`, and its date. */
  source: string;
}

const RELAYED = 'bench relayed-event, 2026-11-22';

export const COSTS = {
  serverCpu: { what: 'server, an event', value: 43, unit: 'µs', source: RELAYED },
  redisCpu: { what: 'Redis, an event and its relay', value: 46, unit: 'µs', source: RELAYED },
  keyServerCpu: { what: 'server, an idempotency key', value: 7, unit: 'µs', source: 'bench keyed-event, 2026-11-22' },
  keyRedisCpu: { what: 'Redis, an idempotency key', value: 6, unit: 'µs', source: 'bench keyed-event, 2026-11-22' },
  workerCpu: { what: 'worker, a relayed event', value: 68, unit: 'µs', source: RELAYED },
  postgresCpu: { what: 'PostgreSQL, a relayed event', value: 39, unit: 'µs', source: RELAYED },
  aof: { what: 'append-only file, an event', value: 506, unit: 'bytes', source: RELAYED },
  wal: { what: 'write-ahead log, an event', value: 949, unit: 'bytes', source: RELAYED },
  user: { what: 'Redis, a user', value: 499, unit: 'bytes', source: 'bench memory, 2026-11-21' },
  key: { what: 'Redis, an idempotency key', value: 10.6, unit: 'bytes', source: 'bench memory, 2026-11-21' },
  history: {
    what: 'PostgreSQL, an event with its awards',
    value: 217,
    unit: 'bytes',
    source: 'bench relay-cost, 2026-11-22',
  },
} satisfies Record<string, Cost>;
