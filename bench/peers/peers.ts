/** What a peer promises, in the words of the documentation. */
export interface Promises {
  atomic: string;
  idempotent: string;
  durable: string;
  history: string;
}

/** Another way to do what laurel does, measured beside it. */
export interface Peer {
  /** Its folder in bench/peers. */
  folder: string;
  name: string;
  title: string;
  measures: string;
  promises: Promises;
  /** Whether a process of its own evaluates the events after they have been answered. */
  hasWorker: boolean;
}

export const LAUREL: Promises = {
  atomic: 'yes',
  idempotent: 'yes',
  durable: 'yes',
  history: 'yes, by the relay',
};

export const PEERS: Peer[] = [
  {
    folder: 'postgres',
    name: 'peer-postgres',
    title: 'uWebSockets.js and PostgreSQL',
    measures: 'one function and one transaction for each event, ranks by index',
    promises: { atomic: 'yes', idempotent: 'yes', durable: 'yes', history: 'yes' },
    hasWorker: false,
  },
  {
    folder: 'fastify',
    name: 'peer-fastify',
    title: 'Fastify and ioredis',
    measures: 'one read and one `MULTI` for each event, rules in the program',
    promises: {
      atomic: 'writes only; simultaneous events of a user may read the same streak',
      idempotent: 'no',
      durable: 'yes',
      history: 'no',
    },
    hasWorker: false,
  },
  {
    folder: 'bullmq',
    name: 'peer-bullmq',
    title: 'BullMQ',
    measures: 'one job for each event, counted when it has been evaluated; the answer contains no changes',
    promises: {
      atomic: 'writes only, as above',
      idempotent: 'until the job is removed; a job that is tried again counts twice',
      durable: 'yes',
      history: 'no',
    },
    hasWorker: true,
  },
  {
    folder: 'redisRank',
    name: 'peer-redis-rank',
    title: 'redis-rank, leaderboards only',
    measures: 'two leaderboards of the package redis-rank; no achievements, streaks, points or levels',
    promises: { atomic: 'no, two commands', idempotent: 'no', durable: 'yes', history: 'no' },
    hasWorker: false,
  },
];
