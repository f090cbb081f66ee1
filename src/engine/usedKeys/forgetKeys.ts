import { cellOf } from '../../base/cells.ts';
import { FINGERPRINTS_PER_EDIT } from '../../base/keyLimits.ts';
import { listKeysOfUser } from '../../db/history/usedKeyRows.ts';
import type { PoolClient } from '../../db/pool.ts';
import type { UserKey } from '../../db/users/userMap.ts';
import type { Scripts } from '../../redis/scripts/scripts.ts';
import type { Stores } from '../stores.ts';

/**
 * Removes the idempotency keys of a user from Redis: a new user with the same id may use them. The history
 * must have all events of the user. A filter keeps the keys; then PostgreSQL is asked and does not find them.
 */
export async function forgetKeys(
  { scripts, cells }: Pick<Stores, 'cells'> & { scripts: Scripts },
  client: PoolClient,
  { tenant, userId }: UserKey,
): Promise<void> {
  const used = await listKeysOfUser(client, { tenant, userId });
  const cell = cellOf(tenant, userId, cells);
  for (let at = 0; at < used.length; at += FINGERPRINTS_PER_EDIT) {
    const fingerprints = used.slice(at, at + FINGERPRINTS_PER_EDIT);
    await scripts.editKeyLedger(tenant, cell, { fingerprints });
  }
}
