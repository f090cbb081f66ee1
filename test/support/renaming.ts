import { moveToNewId } from '../../src/engine/erasure/moveToNewId.ts';
import { keys } from '../../src/redis/keys/redisKeys.ts';
import { RenameScripts } from '../../src/redis/scripts/renameScripts.ts';
import { Scripts } from '../../src/redis/scripts/scripts.ts';
import type { Engine } from './engine.ts';

/** Gives a user another id in an engine without PostgreSQL, as the service does it in Redis. */
export async function renameInRedis(
  { redis, cells, tenant, rulesStore, clock, cellOf }: Engine,
  { userId, newId, hasFormerKeys }: { userId: string; newId: string; hasFormerKeys: boolean },
): Promise<void> {
  const renameScripts = new RenameScripts(redis, cells);
  const scripts = new Scripts(redis, cells);
  const seconds = Math.floor(clock.now() / 1_000);
  const deps = { redis, cells, rulesStore, scripts, renameScripts };
  if (!(await renameScripts.reserveId({ tenant, userId: newId }))) throw new Error(`${newId} is taken`);
  await moveToNewId(deps, { tenant, userId, newId }, { hasFormerKeys, seconds });
  await renameScripts.releaseUser({ tenant, userId: newId }, seconds);
  await redis.srem(keys.erasing(tenant, cellOf(userId)), userId);
}
