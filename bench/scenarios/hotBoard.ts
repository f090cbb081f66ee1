import { prepareTraffic, uniformUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER } from './requests.ts';

/** Users who compete for the same places, so that nearly every event changes ranks. Their numbers are beyond those of other scenarios. */
const USERS = 100;
const FIRST = 20_000_000;

export const hotBoard: Scenario = {
  name: 'hot-board',
  title: 'full event, all of 100 rivals',
  measures: 'full events of 100 users with nearly equal scores, so that nearly every event changes ranks',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => {
    const draw = uniformUsers(USERS);
    const options = { name: 'hot-board', nextUser: () => FIRST + draw() };
    return closedLoop(target, await target.traffic(options, prepareTraffic));
  },
};
