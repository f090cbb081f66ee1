import type { Redis } from 'ioredis';
import { keys } from './keys.ts';

/** Number of the layout of keys that this version reads and writes. Layout 1 divided the users of each tenant by a hash. */
const PRESENT = 2;
/** Rules of the account in layout 1, which has no number. */
const RULES_OF_LAYOUT_1 = '{1:rules}';

/** Whether Redis has the layout of this version; false if it is empty. */
export async function hasPresentLayout(redis: Redis): Promise<boolean> {
  return (await redis.get(keys.layout)) === String(PRESENT);
}

/** Whether Redis has the keys of an earlier version. */
export async function hasEarlierLayout(redis: Redis): Promise<boolean> {
  return !(await hasPresentLayout(redis)) && (await redis.exists(RULES_OF_LAYOUT_1)) === 1;
}

/** Notes that Redis has the layout of this version. */
export async function notePresentLayout(redis: Redis): Promise<void> {
  await redis.set(keys.layout, PRESENT);
}
