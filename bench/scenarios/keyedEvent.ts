import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER, usualEvents } from './requests.ts';

export const keyedEvent: Scenario = {
  name: 'keyed-event',
  title: 'full event with an idempotency key',
  measures: 'full events, each with an idempotency key of its own',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => closedLoop(target, await usualEvents(target), { keys: 'keyed' }),
};
