import { shardOf } from '../base/shards.ts';
import { readInBatches } from '../db/readInBatches.ts';
import { keys } from '../redis/keys.ts';
import { type RedisCommand, runPipeline } from '../redis/pipeline.ts';
import type { RestoreContext } from './context.ts';

const FINGERPRINTS_PER_BATCH = 20_000;

interface FingerprintRow {
  userId: string;
  metric: number;
  /** Signed 64-bit integer. */
  fingerprint: string;
  /** Milliseconds since 1970. */
  usedAt: number;
}

// Fingerprints of stored events and of events that retention has dropped.
const FINGERPRINTS = `
  select user_id as "userId", metric, fingerprint, extract(epoch from used_at)::float8 * 1000 as "usedAt" from (
    select tenant, user_id, metric, fingerprint, recorded_at as used_at from metric_events where fingerprint is not null
    union all
    select tenant, user_id, metric, used.fingerprint, used.used_at
    from used_fingerprints, unnest(fingerprints, used_fingerprints.used_at) as used (fingerprint, used_at)
  ) as used
  where tenant = $1 and used_at > to_timestamp($2::float8 / 1000)`;

/**
 * Restores the fingerprints of used idempotency keys, for ever or within the tenant's window.
 * @returns number of keys
 */
export async function restoreFingerprints(context: RestoreContext): Promise<number> {
  const { client, redis, rules, tenant, now, progress } = context;
  const { idempotencyWindowSeconds } = rules.config.settings;
  const windowMs = idempotencyWindowSeconds === null ? null : idempotencyWindowSeconds * 1000;
  const values = [tenant, windowMs === null ? 0 : now - windowMs];
  const { rows } = await client.query<{ count: string }>(`select count(*) from (${FINGERPRINTS}) as found`, values);
  progress.begin('idempotency keys', Number(rows[0]!.count));
  let restored = 0;
  for await (const batch of readInBatches<FingerprintRow>(client, FINGERPRINTS, values, FINGERPRINTS_PER_BATCH)) {
    await runPipeline(redis, windowMs === null ? addForEver(context, batch) : addForWindow(context, batch, windowMs));
    restored += batch.length;
    progress.advance(batch.length);
  }
  progress.end();
  return restored;
}

function addForEver({ tenant, shards }: RestoreContext, batch: FingerprintRow[]): RedisCommand[] {
  const adds = new Map<string, RedisCommand>();
  for (const { userId, metric, fingerprint } of batch) {
    const key = keys.fingerprints(tenant, shardOf(userId, shards), userId, metric);
    const add = adds.get(key);
    if (add) add.push(fingerprint);
    else adds.set(key, ['sadd', key, fingerprint]);
  }
  return [...adds.values()];
}

/** Writes fingerprints as lua/includes/idempotency.lua does. They expire later than there; the script compares the time of use. */
function addForWindow({ tenant, shards }: RestoreContext, batch: FingerprintRow[], windowMs: number): RedisCommand[] {
  return batch.flatMap(({ userId, metric, fingerprint, usedAt }): RedisCommand[] => {
    const key = keys.recentFingerprints(tenant, shardOf(userId, shards), userId, metric);
    return [
      ['zadd', key, usedAt, fingerprint],
      ['pexpire', key, windowMs],
    ];
  });
}
