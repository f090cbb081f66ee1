import type { Redis } from 'ioredis';
import type { Cells } from '../../base/cells.ts';
import { readUserStates } from './currentStates.ts';
import { countUsers, sampleUsers } from './statistics.ts';
import type { UserState } from './userState.ts';

/** Random users of a tenant, and the number of all. */
export interface UserSample {
  users: number;
  sampled: { id: string; state: UserState }[];
}

/** About `count` random users; all users if there are no more. */
export async function sampleUserStates(
  redis: Redis,
  tenant: number,
  cells: Cells,
  count: number,
): Promise<UserSample> {
  const [users, ids] = await Promise.all([
    countUsers(redis, tenant, cells),
    sampleUsers(redis, tenant, cells, count),
  ]);
  const states = await readUserStates(redis, tenant, cells, ids);
  const sampled = ids.flatMap((id, i) => {
    const state = states[i];
    return state ? [{ id, state }] : [];
  });
  return { users, sampled };
}
