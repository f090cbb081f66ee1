import type { HistoryRows } from '../db/historyRows.ts';
import { type DeliveryRows, noDeliveryRows } from '../db/writeDeliveries.ts';
import type { Rules } from '../rules/rules.ts';
import { type Batch, BatchUsers, type PlacedEntry } from './batch.ts';
import { planNotices } from './planNotices.ts';
import { planWebhooks } from './planWebhooks.ts';

/** Adds to the rows what one kind of outlet is to be sent. Pure, so a batch that is written again makes the same rows. */
type Planner = (batch: Batch, planned: DeliveryRows) => void;

const PLANNERS: readonly Planner[] = [planWebhooks, planNotices];

/** What is to be sent because of a batch of entries of these tenants. */
export function planDeliveries(
  entries: readonly PlacedEntry[],
  rows: HistoryRows,
  rulesOf: ReadonlyMap<number, Rules>,
): DeliveryRows {
  const planned = noDeliveryRows();
  const batch = { entries, rows, rulesOf, users: new BatchUsers(rows, rulesOf) };
  for (const plan of PLANNERS) plan(batch, planned);
  return planned;
}
