import { BATCH_EVENTS_MAX } from '../../src/base/limits.ts';
import { prepareBatches, zipfUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { eventsBesideWorker } from './besideWorker.ts';
import { type ClosedLoopOptions, closedLoop } from './closedLoop.ts';
import { ONE_SERVER, usualEvents } from './requests.ts';

/** Each connection sends one batch at a time. A few connections suffice, because a batch has many events. */
const BATCH_CONNECTIONS = 8;

const fullEvents = (
  name: string,
  title: string,
  measures: string,
  options?: ClosedLoopOptions,
): Scenario => ({
  name,
  title,
  measures,
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => closedLoop(target, await usualEvents(target), options),
});

export const event = fullEvents('event', 'full event', 'full events, server alone');

export const minimalEvent = fullEvents(
  'minimal-event',
  'full event, minimal answer',
  'full events with `Prefer: return=minimal`',
  { headers: { Prefer: 'return=minimal' } },
);

export const keyedEvent = fullEvents(
  'keyed-event',
  'full event with an idempotency key',
  'full events, each with an idempotency key of its own',
  { keys: 'keyed' },
);

export const batch: Scenario = {
  name: 'batch',
  title: `batches of ${BATCH_EVENTS_MAX} events, in events/s`,
  measures: 'batches of 1,000 events, counted in events',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => {
    const options = { name: 'batches', nextUser: zipfUsers(), eventsPerBatch: BATCH_EVENTS_MAX };
    return closedLoop(target, await target.traffic(options, prepareBatches), {
      connections: BATCH_CONNECTIONS,
    });
  },
};

export const relayedEvent: Scenario = {
  name: 'relayed-event',
  title: 'full event with relay and workers',
  measures: 'full events while a worker moves them to PostgreSQL',
  group: ONE_SERVER,
  isRemote: false,
  setUp: eventsBesideWorker,
};
