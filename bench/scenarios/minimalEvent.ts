import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER, usualEvents } from './requests.ts';

export const minimalEvent: Scenario = {
  name: 'minimal-event',
  title: 'full event, minimal answer',
  measures: 'full events with `Prefer: return=minimal`',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => closedLoop(target, await usualEvents(target), { headers: { Prefer: 'return=minimal' } }),
};
