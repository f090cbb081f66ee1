import type { Redis } from 'ioredis';
import { isRedisOutage } from './redisAvailability.ts';
import { primariesOf } from './redisClient.ts';

/** Required settings of Redis, and the data that is lost without them. */
const REQUIRED = {
  appendonly: { value: 'yes', danger: 'a restart of Redis loses everything since its last snapshot' },
  appendfsync: { value: 'always', danger: 'a crash of the machine loses the last second' },
  'maxmemory-policy': { value: 'noeviction', danger: 'a full Redis deletes users' },
};

/**
 * Checks the settings of Redis. A hosted Redis may not show its settings; that is reported as well.
 * @returns one sentence for each unsafe setting; empty if all are safe
 */
export async function unsafeSettings(redis: Redis): Promise<string[]> {
  const faults = await Promise.all(primariesOf(redis).map(unsafeSettingsOf));
  return [...new Set(faults.flat())];
}

async function unsafeSettingsOf(redis: Redis): Promise<string[]> {
  let given: string[];
  try {
    given = (await redis.config('GET', ...(Object.keys(REQUIRED) as [string]))) as string[];
  } catch (error) {
    if (isRedisOutage(error)) throw error;
    return ['Redis does not show its settings (CONFIG is disabled): its durability is unknown'];
  }
  const values = new Map<string, string>();
  for (let i = 0; i < given.length; i += 2) values.set(given[i]!, given[i + 1]!);
  return Object.entries(REQUIRED)
    .filter(([name, { value }]) => values.get(name) !== value)
    .map(
      ([name, { value, danger }]) => `Redis has ${name} ${values.get(name)} instead of ${value}: ${danger}`,
    );
}
