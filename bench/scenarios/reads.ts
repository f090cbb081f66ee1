import { createReaders, nextReader } from '../load/createReaders.ts';
import { createUsers } from '../load/createUsers.ts';
import { prepareTraffic, userId, zipfUsers } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import type { Target } from '../target.ts';
import { WORKLOAD } from '../workload.ts';
import { closedLoop } from './closedLoop.ts';
import { DEFAULT_READS, dailySummary, ONE_SERVER, userRead } from './requests.ts';

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
  ({ prefix }, _, user) => `/v1/users/${userId(prefix, user)}${DEFAULT_READS.streak}`,
);

/** Reads of users with a history, who have been read before: the paths below a user, in turn. */
function readsOfReaders(
  parts: Pick<Scenario, 'name' | 'title' | 'measures'>,
  pathsOf: () => readonly string[],
): Scenario {
  return {
    ...parts,
    group: ONE_SERVER,
    isRemote: false,
    setUp: async (target) => {
      const paths = pathsOf();
      await createReaders(target, paths);
      const read = (i: number, user: number) =>
        `/v1/users/${userId(target.prefix, user)}${paths[i % paths.length]}`;
      const options = { name: parts.name, nextUser: nextReader(), read };
      const running = closedLoop(target, await target.traffic(options, prepareTraffic));
      // Summaries look for the user in the outbox, which no worker reads.
      return { ...running, begin: () => target.bench.dropOutbox() };
    },
  };
}

export const pointsReads = readsOfReaders(
  {
    name: 'points-reads',
    title: 'points with 10 awards',
    measures: 'points of users with their latest awards, as the official clients ask for them',
  },
  () => [DEFAULT_READS.points],
);

export const rankReads = readsOfReaders(
  {
    name: 'rank-reads',
    title: 'rank with 10 days of changes',
    measures: 'ranks of users with their latest changes, as the official clients ask for them',
  },
  () => [DEFAULT_READS.rank],
);

export const firstScreen = readsOfReaders(
  {
    name: 'first-screen',
    title: 'reads of a first screen',
    measures: 'streak, achievements, metrics, points and three daily summaries of 30 days, in turn',
  },
  () => {
    const { streak, achievements, metrics, points } = DEFAULT_READS;
    const summary = dailySummary();
    return [streak, achievements, metrics, points, summary, summary, summary];
  },
);

export const summaryReads = readsOfReaders(
  {
    name: 'summary-reads',
    title: 'first screen in one request',
    measures: 'streak, points, achievements, ranks and metrics of users in one read each',
  },
  () => ['/summary'],
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
