import { createUsers } from '../load/createUsers.ts';
import { prepareTraffic, zipfUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { WORKLOAD } from '../workload.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER, userRead } from './requests.ts';

export const userReads: Scenario = {
  name: 'user-reads',
  title: 'read of a user',
  measures: 'profile, total, streak, achievements and rank of users, in turn',
  group: ONE_SERVER,
  isRemote: true,
  setUp: async (target) => {
    await createUsers(target, WORKLOAD.users);
    const read = (i: number, user: number) => userRead(target, i, user);
    const options = { name: 'user-reads', nextUser: zipfUsers(), read };
    return closedLoop(target, await target.traffic(options, prepareTraffic));
  },
};

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
