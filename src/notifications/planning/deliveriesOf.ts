import { type DeliveryRows, noDeliveryRows } from '../../db/deliveries/writeDeliveries.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { BatchUsers, type EntryBatch, type PlacedEntry } from '../entryBatch.ts';
import { planChallengeEndings } from '../messages/planChallengeEndings.ts';
import { planNotices } from '../messages/planNotices.ts';
import type { CoveredSubjects } from '../webhooks/coveredSubjects.ts';
import { planWebhooks } from '../webhooks/planWebhooks.ts';

/** `context` of the span that relays the changes of a user; undefined if they are not traced. */
export type TraceOf = (tenant: number, userId: string | null) => string | undefined;

/** Nobody is told what an import brings. */
const isTold = ({ entry }: PlacedEntry): boolean => entry.isImport !== true;

/**
 * The deliveries that report a batch of entries. Pure: apart from throttled deliveries, which depend on
 * `covered` and `now`, a batch that is written again gives the same rows.
 * @param rulesOf rules of the tenants with active webhooks or templates, by tenant
 * @param now ms
 * @param traceOf undefined if nothing is traced
 */
export function deliveriesOf(
  batch: EntryBatch,
  rulesOf: ReadonlyMap<number, Rules>,
  covered: Pick<CoveredSubjects, 'has' | 'forget'>,
  now: number,
  traceOf: TraceOf | undefined,
): DeliveryRows {
  if (rulesOf.size === 0) return noDeliveryRows();
  const users = new BatchUsers(batch.states, rulesOf);
  const told = { entries: batch.entries.filter(isTold), states: batch.states };
  const changes = planWebhooks(told, rulesOf, users, covered, now);
  const notices = planNotices(told, rulesOf, users);
  const webhooks = [...changes.webhookDeliveries, ...notices.webhookDeliveries];
  return {
    webhookDeliveries:
      traceOf === undefined
        ? webhooks
        : webhooks.map((row) => ({ ...row, trace: traceOf(row.tenant, row.userId) })),
    throttledDeliveries: changes.throttledDeliveries,
    notificationDeliveries: [
      ...notices.notificationDeliveries,
      ...planChallengeEndings(told, rulesOf, users),
    ],
  };
}
