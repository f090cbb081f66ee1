import { createReaders, nextReader } from '../load/createReaders.ts';
import { prepareTraffic, userId } from '../load/traffic.ts';
import type { Scenario } from '../scenario.ts';
import { besideWorker } from './besideWorker.ts';
import { DEFAULT_READS, ONE_SERVER } from './requests.ts';

/** One of so many requests is an event. */
const REQUESTS_PER_EVENT = 5;

export const mix: Scenario = {
  name: 'mix',
  title: '80 % reads, 20 % events, with relay and workers',
  measures:
    'profile, streak, achievements, metrics, points and rank of users in their default forms, and full events of the same users, while a worker moves these to PostgreSQL',
  group: ONE_SERVER,
  isRemote: false,
  setUp: async (target) => {
    const paths = Object.values(DEFAULT_READS);
    await createReaders(target, paths);
    const read = (i: number, user: number) =>
      i % REQUESTS_PER_EVENT === 0
        ? null
        : `/v1/users/${userId(target.prefix, user)}${paths[i % paths.length]}`;
    const options = { name: 'mix', nextUser: nextReader(), read };
    return besideWorker(target, await target.traffic(options, prepareTraffic));
  },
};
