import { cellOf } from '../../base/cells.ts';
import { listKeysOfUser } from '../../db/history/usedKeyRows.ts';
import type { PoolClient } from '../../db/pool.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import { removeFingerprints } from '../../redis/usedKeys/keyLedger.ts';
import type { Stores } from '../stores.ts';

/**
 * Removes the idempotency keys of a user from Redis: a new user with the same id may use them. The history
 * must have all events of the user. A filter keeps the keys; then PostgreSQL is asked and does not find them.
 */
export async function forgetKeys(
  { redis, cells }: Pick<Stores, 'redis' | 'cells'>,
  client: PoolClient,
  user: UserKey,
): Promise<void> {
  const fingerprints = await listKeysOfUser(client, user);
  await removeFingerprints(redis, user.tenant, cellOf(user.tenant, user.userId, cells), fingerprints);
}
