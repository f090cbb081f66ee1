import { BATCH_EVENTS_MAX } from '../../src/base/limits.ts';
import { prepareBatches, zipfUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER } from './requests.ts';

/** Each connection sends one batch at a time. A few connections suffice, because a batch has many events. */
const CONNECTIONS = 8;

export const batch: Scenario = {
  name: 'batch',
  title: `batches of ${BATCH_EVENTS_MAX} events, in events/s`,
  measures: 'batches of 1,000 events, counted in events',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => {
    const options = { name: 'batches', nextUser: zipfUsers(), eventsPerBatch: BATCH_EVENTS_MAX };
    return closedLoop(target, await target.traffic(options, prepareBatches), { connections: CONNECTIONS });
  },
};
