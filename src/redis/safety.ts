import type { Redis } from 'ioredis';

/** Settings without which Redis can lose what was answered, and what is lost then. */
const REQUIRED = {
  appendonly: { value: 'yes', danger: 'a restart of Redis loses everything since its last snapshot' },
  appendfsync: { value: 'always', danger: 'a crash of the machine loses the last second' },
  'maxmemory-policy': { value: 'noeviction', danger: 'a full Redis deletes users' },
};

/**
 * What is unsafe about the settings of a Redis: sentences for an administrator, none if it is safe. A Redis that does not show its
 * settings, as hosted ones do not, is reported as unknown.
 */
export async function unsafeSettings(redis: Redis): Promise<string[]> {
  let given: string[];
  try {
    given = (await redis.config('GET', ...(Object.keys(REQUIRED) as [string]))) as string[];
  } catch {
    return ['Redis does not show its settings (CONFIG is disabled): its durability is unknown'];
  }
  const values = new Map<string, string>();
  for (let i = 0; i < given.length; i += 2) values.set(given[i]!, given[i + 1]!);
  return Object.entries(REQUIRED)
    .filter(([name, { value }]) => values.get(name) !== value)
    .map(([name, { value, danger }]) => `Redis has ${name} ${values.get(name)} instead of ${value}: ${danger}`);
}
