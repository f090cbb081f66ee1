import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER, usualEvents } from './requests.ts';

export const event: Scenario = {
  name: 'event',
  title: 'full event',
  measures: 'full events, server alone',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => closedLoop(target, await usualEvents(target)),
};
