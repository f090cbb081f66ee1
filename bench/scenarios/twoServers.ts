import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { usualEvents } from './requests.ts';

export const twoServers: Scenario = {
  name: 'two-servers',
  title: 'full event, two servers',
  measures: 'full events, sent to two servers with the same stores',
  group: { name: 'two servers', servers: 2 },
  isRemote: false,
  setUp: async (target) => closedLoop(target, await usualEvents(target)),
};
