import { prepareTraffic } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER } from './requests.ts';

/** A user that no other scenario has. */
const USER = 10_000_000;

export const hotUser: Scenario = {
  name: 'hot-user',
  title: 'full event, all of one user',
  measures: 'full events of a single user',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => {
    const options = { name: 'hot-user', nextUser: () => USER, requests: 1 };
    return closedLoop(target, await target.traffic(options, prepareTraffic));
  },
};
