import type { HeldEvent } from '../../contract/heldEvents.ts';
import { writeAudit } from '../../db/access/audit.ts';
import { decideHeldEvents, type HeldEventRow, type HeldStatus } from '../../db/history/heldEventRows.ts';
import type { PoolClient } from '../../db/pool.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { webhookRows, writeWebhooks } from '../webhooks/webhookRows.ts';

/** The key of a metric; `#` and the number once it is deleted. */
export const metricKeyOf = (rules: Rules, no: number): string =>
  rules.findByNo('metrics', no)?.key ?? `#${no}`;

export function heldEventView(rules: Rules, row: HeldEventRow): HeldEvent {
  return {
    id: row.eventId,
    userId: row.userId,
    metric: metricKeyOf(rules, row.metric),
    value: row.value,
    attributes: row.attributes,
    timestamp: row.happenedAt.toISOString(),
    guard: row.guard as HeldEvent['guard'],
    heldAt: row.heldAt.toISOString(),
    status: row.status,
    decidedAt: row.decidedAt?.toISOString() ?? null,
    reason: row.reason,
  };
}

/** What has become of a held event that an administrator decides on. */
export interface DecidedEvent {
  id: string;
  /** null: no such event is held. */
  status: HeldStatus | null;
  /** Why the event is not in the status that was asked for. */
  error?: string;
}

const IS: Record<HeldStatus, string> = {
  held: 'held',
  approving: 'being approved',
  approved: 'approved',
  undone: 'undone',
  rejected: 'rejected',
  expired: 'expired',
};

/** An event that was decided on before. @param asked the status that was asked for */
export function decidedAlready(id: string, held: HeldEventRow | null, asked: HeldStatus): DecidedEvent {
  if (held === null) return { id, status: null, error: `No event ${id} is held` };
  const { status } = held;
  return status === asked ? { id, status } : { id, status, error: `The event is ${IS[status]}` };
}

/** Tells webhooks of a held event, in the transaction that changes it. `now`: ms. */
export async function reportHeldEvent(
  client: PoolClient,
  rules: Rules,
  row: HeldEventRow,
  now: number,
): Promise<void> {
  const { userId, status, eventId } = row;
  if (status === 'expired' || status === 'approving' || status === 'undone') return;
  const cause = { type: `event.${status}` as const, at: now, userId, ids: [eventId] };
  const rows = webhookRows(rules, cause, () => ({
    timestamp: new Date(now).toISOString(),
    heldEvent: heldEventView(rules, row),
  }));
  await writeWebhooks(client, rows);
}

/** Stores the decision about an event that the transaction has locked, with webhooks and audit log. */
export async function closeHeldEvent(client: PoolClient, rules: Rules, after: HeldEventRow): Promise<void> {
  const { eventId, userId, status, reason, actor } = after;
  const now = after.decidedAt!.getTime();
  const from = status === 'approved' ? 'approving' : 'held';
  await decideHeldEvents(client, rules.tenant, { ids: [eventId], from }, after);
  await reportHeldEvent(client, rules, after, now);
  const { metric, value, timestamp } = heldEventView(rules, after);
  await writeAudit(client, rules.tenant, { actor: actor!, actorName: after.actorName ?? '', now }, [
    {
      action: 'update',
      kind: 'heldEvents',
      id: eventId,
      userId,
      before: { status: 'held', metric, value, timestamp },
      after: { status, reason },
    },
  ]);
}
