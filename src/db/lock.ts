import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from './pool.ts';

const POLL_MS = 100;

/** Another process holds the lock. */
export class LockTakenError extends Error {}

/**
 * Runs work while no other process does so under the same number, which every version of laurel must use. The
 * lock belongs to a transaction that does nothing else, so it works behind PgBouncer, and ends with its
 * connection. Those who wait hold no connection, so any number of processes may start at the same time.
 * @param refusal message of the LockTakenError if the lock is taken; without it, the call waits
 */
export async function withLock<T>(
  pool: Pool,
  lock: number,
  work: () => Promise<T>,
  refusal?: string,
): Promise<T> {
  for (;;) {
    const holder = await pool.connect();
    try {
      await holder.query('begin');
      await holder.query('set local idle_in_transaction_session_timeout = 0');
      const sql = 'select pg_try_advisory_xact_lock($1) as locked';
      const { rows } = await holder.query<{ locked: boolean }>(sql, [lock]);
      if (rows[0]!.locked) return await work();
      if (refusal !== undefined) throw new LockTakenError(refusal);
    } finally {
      // Closing the connection releases the lock as well, but nobody is told when.
      await holder.query('rollback').catch(() => {});
      holder.release(true);
    }
    await sleep(POLL_MS);
  }
}
