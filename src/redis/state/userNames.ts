import type { Redis } from 'ioredis';
import { cellOf } from '../../base/cells.ts';
import { USER_PART } from '../scripts/scriptLayout.ts';
import { keys } from './redisKeys.ts';
import { decodeUserState, type UserState } from './userState.ts';

/** Present states of users, in the given order; null for unknown users. */
export async function readUserStates(
  redis: Redis,
  tenant: number,
  cells: number,
  userIds: readonly string[],
): Promise<(UserState | null)[]> {
  const cell = cellOf(tenant, cells);
  const states = await Promise.all(
    userIds.map((userId) => redis.hmgetBuffer(keys.user(tenant, cell, userId), USER_PART.hot, USER_PART.cold)),
  );
  return states.map(([hot, cold]) => (hot && cold ? decodeUserState(hot, cold) : null));
}

/** Names of users, in the given order; null for users without a name and unknown users. */
export async function readUserNames(...args: Parameters<typeof readUserStates>): Promise<(string | null)[]> {
  return (await readUserStates(...args)).map((state) => state?.name ?? null);
}
