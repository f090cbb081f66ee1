import { createUsers } from '../load/createUsers.ts';
import { prepareTraffic, zipfUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { WORKLOAD } from '../workload.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER, userRead } from './requests.ts';

/** Of ten requests, those with these places are reads: two of a user, one of a leaderboard. */
const USER_READS = [3, 6];
const LEADERBOARD_READ = 9;

export const mixed: Scenario = {
  name: 'mixed',
  title: '70 % full events, 30 % reads',
  measures: 'full events and reads of users and leaderboards together',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => {
    await createUsers(target, WORKLOAD.users);
    const read = (i: number, user: number): string | null => {
      if (i % 10 === LEADERBOARD_READ) return '/v1/leaderboards/weekly';
      return USER_READS.includes(i % 10) ? userRead(target, Math.floor(i / 10), user) : null;
    };
    const options = { name: 'mixed', nextUser: zipfUsers(), read };
    return closedLoop(target, await target.traffic(options, prepareTraffic));
  },
};
