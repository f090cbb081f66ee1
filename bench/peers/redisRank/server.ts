import { Redis } from 'ioredis';
import redisRank from 'redis-rank';
import { systemClock } from '../../../src/base/clock.ts';
import { POINTS_PER_EVENT } from '../rules.ts';
import { servePeer } from '../serve.ts';

/** redis-rank: a weekly and a perpetual leaderboard, and nothing else of an event. */
const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true });
const options = { sortPolicy: 'high-to-low', updatePolicy: 'aggregate' } as const;
const weekly = new redisRank.PeriodicLeaderboard(redis, 'peer-rank:weekly', {
  leaderboardOptions: options,
  cycle: 'weekly',
  now: () => new Date(systemClock.now()),
});
const allTime = new redisRank.Leaderboard(redis, 'peer-rank:all-time', options);

servePeer({
  recordEvent: async ({ user, value }) => {
    const board = weekly.getLeaderboardNow();
    // Commands of one connection stay in order, so the ranks are those after the updates.
    const [, , weeklyRank, allTimeRank] = await Promise.all([
      board.updateOne(user.id, value),
      allTime.updateOne(user.id, POINTS_PER_EVENT),
      board.rank(user.id),
      allTime.rank(user.id),
    ]);
    return { leaderboards: { weekly: weeklyRank, 'all-time': allTimeRank } };
  },
  readTotal: async (userId) => (await weekly.getLeaderboardNow().score(userId)) ?? 0,
});
