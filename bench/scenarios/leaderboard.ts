import { prepareTraffic, zipfUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER } from './requests.ts';

export const leaderboard: Scenario = {
  name: 'leaderboard',
  title: 'leaderboard page of 10',
  measures: 'the first page of a leaderboard',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => {
    const read = () => '/v1/leaderboards/weekly';
    const options = { name: 'leaderboard', nextUser: zipfUsers(), requests: 1, read };
    return closedLoop(target, await target.traffic(options, prepareTraffic));
  },
};
