import { type Cells, cellOf } from '../base/cells.ts';
import { readInBatches } from '../db/readInBatches.ts';
import { MILLISECONDS } from '../db/sql.ts';
import { type RedisCommand, runPipeline } from '../redis/connection/pipeline.ts';
import { keys } from '../redis/state/redisKeys.ts';
import type { RestoreContext } from './context.ts';

const FINGERPRINTS_PER_BATCH = 20_000;

interface FingerprintRow {
  userId: string;
  metric: number;
  /** Signed 64-bit integer. */
  fingerprint: string;
  /** Whether it was used under a window. */
  isTimed: boolean;
  /** Milliseconds since 1970. */
  usedAt: number;
}

// Fingerprints of stored events and of events that retention has dropped. The id of an event that was
// recorded under a window has version 7; of dropped events only the present setting tells ($2: whether there
// is a window).
const FINGERPRINTS = `
  select user_id as "userId", metric, fingerprint, is_timed as "isTimed", ${MILLISECONDS('used_at')} as "usedAt" from (
    select tenant, user_id, metric, fingerprint, recorded_at as used_at, substr(event_id::text, 15, 1) = '7' as is_timed
    from event_history where fingerprint is not null
    union all
    select tenant, user_id, metric, used.fingerprint, used.used_at, $2::boolean
    from used_fingerprints, unnest(fingerprints, used_fingerprints.used_at) as used (fingerprint, used_at)
  ) as used
  where tenant = $1`;

/**
 * Restores the fingerprints of all used idempotency keys, as lua/includes/idempotency.lua keeps them.
 * @returns number of uses
 */
export async function restoreFingerprints({
  client,
  redis,
  rules,
  tenant,
  cells,
  progress,
}: RestoreContext): Promise<number> {
  const values = [tenant, rules.config.settings.idempotencyWindowSeconds !== null];
  const { rows } = await client.query<{ count: string }>(
    `select count(*) from (${FINGERPRINTS}) as found`,
    values,
  );
  progress.begin('idempotency keys', Number(rows[0]!.count));
  let restored = 0;
  for await (const batch of readInBatches<FingerprintRow>(
    client,
    FINGERPRINTS,
    values,
    FINGERPRINTS_PER_BATCH,
  )) {
    await runPipeline(redis, commandsFor(tenant, cells, batch));
    restored += batch.length;
    progress.advance(batch.length);
  }
  progress.end();
  return restored;
}

function commandsFor(tenant: number, cells: Cells, batch: FingerprintRow[]): RedisCommand[] {
  const commands = new Map<string, RedisCommand>();
  const add = (key: string, start: RedisCommand, ...values: (string | number)[]): void => {
    const command = commands.get(key);
    if (command) command.push(...values);
    else commands.set(key, [...start, ...values]);
  };
  for (const { userId, metric, fingerprint, isTimed, usedAt } of batch) {
    const cell = cellOf(tenant, userId, cells);
    const all = keys.fingerprints(tenant, cell, userId, metric);
    add(all, ['sadd', all], fingerprint);
    // A key can have been used again after a window; the last use counts.
    const timed = keys.timedFingerprints(tenant, cell, userId, metric);
    if (isTimed) add(timed, ['zadd', timed, 'GT'], Math.round(usedAt), fingerprint);
  }
  return [...commands.values()];
}
