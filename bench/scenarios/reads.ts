import { createUsers } from '../load/createUsers.ts';
import { prepareTraffic, userId, zipfUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import type { Target } from '../target.ts';
import { WORKLOAD } from '../workload.ts';
import { closedLoop } from './closedLoop.ts';
import { ONE_SERVER, userRead } from './requests.ts';

/** Reads of users who have an event: `pathOf` gives the path of the i-th one. */
function readsOfUsers(
  parts: Pick<Scenario, 'name' | 'title' | 'measures'>,
  pathOf: (target: Target, i: number, user: number) => string,
): Scenario {
  return {
    ...parts,
    group: ONE_SERVER,
    isRemote: true,
    setUp: async (target) => {
      await createUsers(target, WORKLOAD.users);
      const read = (i: number, user: number) => pathOf(target, i, user);
      const options = { name: parts.name, nextUser: zipfUsers(), read };
      return closedLoop(target, await target.traffic(options, prepareTraffic));
    },
  };
}

export const userReads = readsOfUsers(
  {
    name: 'user-reads',
    title: 'read of a user',
    measures: 'profile, total, streak, achievements and rank of users, in turn',
  },
  userRead,
);

export const streakReads = readsOfUsers(
  {
    name: 'streak-reads',
    title: 'streak with 7 periods',
    measures: 'streaks of users with their latest periods, as the official clients ask for them',
  },
  ({ prefix }, _, user) => `/v1/users/${userId(prefix, user)}/streak`,
);

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
