import type { Redis } from 'ioredis';
import { systemClock } from '../../src/base/clock.ts';
import { dayIn, levelOf, POINTS_PER_EVENT, POINTS_PER_WEEK, TOTALS, WEEK, weekOf } from './rules.ts';
import type { PeerEvent } from './serve.ts';

const userKey = (id: string): string => `peer:user:${id}`;
const FIELDS = ['total', 'streak', 'streakDay', 'achievements'];

/**
 * A whole event with the usual commands: read the user, decide in the program, write everything in one MULTI.
 * Two events of a user at the same time may both read the old streak.
 */
export async function recordWithMulti(redis: Redis, { user, value }: PeerEvent): Promise<object> {
  const now = systemClock.now();
  const day = dayIn(user.tz ?? 'UTC', now);
  const [total, streak, streakDay, achievements] = await redis.hmget(userKey(user.id), ...FIELDS);
  const isExtended = Number(streakDay ?? -1) < day;
  const length = !isExtended ? Number(streak) : Number(streakDay) === day - 1 ? Number(streak) + 1 : 1;
  const done = new Set(achievements?.split(','));
  const completed = completedBy(Number(total ?? 0) + value, length).filter((key) => !done.has(key));
  const points = POINTS_PER_EVENT + (isExtended && length % WEEK === 0 ? POINTS_PER_WEEK : 0);
  const boards = { weekly: `peer:weekly:${weekOf(day)}`, allTime: 'peer:all-time' };

  const replies = await redis
    .multi()
    .hset(userKey(user.id), {
      name: user.name ?? '',
      email: user.email ?? '',
      tz: user.tz ?? '',
      streak: length,
      streakDay: day,
      achievements: [...done, ...completed].join(','),
    })
    .hincrbyfloat(userKey(user.id), 'total', value)
    .hincrby(userKey(user.id), 'points', points)
    .zincrby(boards.weekly, value, user.id)
    .zincrby(boards.allTime, points, user.id)
    .zrevrank(boards.weekly, user.id)
    .zrevrank(boards.allTime, user.id)
    .exec();
  const [, newTotal, newPoints, , , weeklyRank, allTimeRank] = replies!.map(([error, reply]) => {
    if (error) throw error;
    return Number(reply);
  });
  return {
    total: newTotal,
    achievements: completed,
    streak: { length, extended: isExtended },
    points: { total: newPoints, added: points, level: levelOf(newPoints!) },
    leaderboards: { weekly: weeklyRank! + 1, 'all-time': allTimeRank! + 1 },
  };
}

/** Keys of all achievements that a user with this total and streak has. */
function completedBy(total: number, length: number): string[] {
  const keys = Object.keys(TOTALS).filter((key) => total >= TOTALS[key]!);
  if (length >= WEEK) keys.push('week');
  return keys.includes('ten') && keys.includes('week') ? [...keys, 'both'] : keys;
}

export async function readTotal(redis: Redis, userId: string): Promise<number> {
  return Number((await redis.hget(userKey(userId), 'total')) ?? 0);
}
