import { type DeliveryRows, noDeliveryRows } from '../db/deliveries/writeDeliveries.ts';
import type { HistoryRows } from '../db/history/historyRows.ts';
import type { Rules } from '../rules/rules.ts';
import { type Batch, BatchUsers, type PlacedEntry } from './entryBatch.ts';
import { planNotices } from './messages/planNotices.ts';
import type { CoveredSubjects } from './webhooks/coveredSubjects.ts';
import { planWebhooks } from './webhooks/planWebhooks.ts';

/** Adds the deliveries of one kind to `planned`. Apart from throttled deliveries, a batch that is written again gives the same rows. */
type Planner = (batch: Batch, planned: DeliveryRows) => void;

const PLANNERS: readonly Planner[] = [planWebhooks, planNotices];

/**
 * The deliveries of a batch of entries, for the tenants in `rulesOf`.
 * @param now ms
 */
export function planDeliveries(
  entries: readonly PlacedEntry[],
  rows: HistoryRows,
  rulesOf: ReadonlyMap<number, Rules>,
  covered: CoveredSubjects,
  now: number,
): DeliveryRows {
  const planned = noDeliveryRows();
  const batch = { entries, rows, rulesOf, users: new BatchUsers(rows, rulesOf), covered, now };
  for (const plan of PLANNERS) plan(batch, planned);
  return planned;
}
