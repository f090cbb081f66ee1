import { writeAudit } from '../../db/access/audit.ts';
import { decideHeldEvents, type HeldEventRow } from '../../db/history/heldEventRows.ts';
import type { PoolClient } from '../../db/pool.ts';
import type { Rules } from '../../rules/rules.ts';
import { heldEventView } from './heldEventView.ts';
import { reportHeldEvent } from './reportHeldEvent.ts';

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
