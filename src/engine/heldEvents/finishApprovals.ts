import { APPROVAL_MS_MAX, APPROVALS_PER_RUN_MAX } from '../../base/guardLimits.ts';
import type { Log } from '../../base/log.ts';
import { listApproving } from '../../db/history/heldEventRows.ts';
import type { Pool } from '../../db/pool.ts';
import type { RulesStore } from '../configuration/rulesStore.ts';
import type { Approvals } from './approvals.ts';

export interface FinishDependencies {
  pool: Pool;
  rulesStore: RulesStore;
  approvals: Approvals;
  log: Log;
}

/** Finishes approvals that a server has begun and not finished. @param now ms */
export async function finishApprovals(
  { pool, rulesStore, approvals, log }: FinishDependencies,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const begun = await listApproving(pool, new Date(now - APPROVAL_MS_MAX), APPROVALS_PER_RUN_MAX);
  for (const { tenant, eventId } of begun) {
    if (signal.aborted) return;
    try {
      const { status, error } = await approvals.finish(await rulesStore.load(tenant), eventId);
      log.info({ tenant, eventId, status, error }, 'an approval is finished');
    } catch (error) {
      // One failure does not stop the others.
      log.warn({ tenant, eventId, error: (error as Error).message }, 'an approval has to wait');
    }
  }
}
