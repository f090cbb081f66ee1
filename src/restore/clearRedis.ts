import type { Redis } from 'ioredis';
import { allShards } from '../base/shards.ts';
import { keys } from '../redis/keys.ts';
import { runPipeline } from '../redis/pipeline.ts';

const KEYS_PER_SCAN = 1_000;

/** Whether Redis contains users or changes that were not relayed. Rules, empty outboxes and BullMQ's keys do not count. */
export async function holdsUsers(redis: Redis, tenants: readonly number[], shards: number): Promise<boolean> {
  const commands = shardsUpTo(shards).flatMap((shard) => [
    ['xlen', keys.outbox(shard)],
    ...tenants.map((tenant) => ['exists', keys.seen(tenant, shard)]),
  ]);
  return (await runPipeline(redis, commands)).some((count) => Number(count) > 0);
}

/** Removes laurel's keys and no others. Rules go first, because without them no script changes anything. */
export async function clearRedis(redis: Redis, tenants: readonly number[], shards: number): Promise<void> {
  await runPipeline(
    redis,
    tenants.map((tenant) => [
      'unlink',
      keys.rules(tenant),
      ...shardsUpTo(shards).map((shard) => keys.version(tenant, shard)),
    ]),
  );
  await redis.unlink(keys.tenants);
  let cursor = '0';
  do {
    const [next, found] = await redis.scan(cursor, 'MATCH', '{*', 'COUNT', KEYS_PER_SCAN);
    const ours = found.filter((key) => /^\{\d+[:}]/.test(key));
    if (ours.length > 0) await redis.unlink(...ours);
    cursor = next;
  } while (cursor !== '0');
}

function shardsUpTo(shards: number): number[] {
  return allShards(shards);
}
