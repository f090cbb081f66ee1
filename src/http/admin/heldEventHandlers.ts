import { ServiceError } from '../../base/errors.ts';
import {
  HELD_EVENTS_COUNTED_MAX,
  HELD_EVENTS_DECIDED_MAX,
  HELD_EVENTS_SUMMED_MAX,
} from '../../base/guardLimits.ts';
import type {
  ApproveHeldEvents,
  ListHeldEvents,
  RejectHeldEvents,
  SummarizeHeldEvents,
} from '../../contract/heldEvents.ts';
import {
  countHeldEvents,
  listHeldEvents,
  lockHeldEvent,
  selectHeldEvents,
  sumHeldEvents,
} from '../../db/history/heldEventRows.ts';
import { transaction } from '../../db/pool.ts';
import { closeHeldEvent } from '../../engine/heldEvents/closeHeldEvent.ts';
import { type DecidedEvent, decidedAlready } from '../../engine/heldEvents/decidedEvent.ts';
import { heldEventView, metricKeyOf } from '../../engine/heldEvents/heldEventView.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { cursorAfter, filterOf, rangeOf } from './heldEventFilter.ts';
import { contextOf } from './resources.ts';

/** GET /admin/v1/held-events */
export async function listHeld({
  service: { pool },
  rules,
  query,
}: OperationRequest<typeof ListHeldEvents>): Promise<OperationResponse<typeof ListHeldEvents>> {
  const { status, limit } = query;
  const [rows, waiting] = await Promise.all([
    listHeldEvents(pool, rules.tenant, filterOf(rules, status, query), rangeOf(query.cursor, limit)),
    countHeldEvents(pool, rules.tenant, HELD_EVENTS_COUNTED_MAX),
  ]);
  return ok({
    events: rows.map((row) => ({ ...heldEventView(rules, row), userName: row.userName })),
    waiting,
    cursor: cursorAfter(rows, limit),
  });
}

/** GET /admin/v1/held-events/summary */
export async function summarizeHeld({
  service: { pool },
  rules,
  query,
}: OperationRequest<typeof SummarizeHeldEvents>): Promise<OperationResponse<typeof SummarizeHeldEvents>> {
  const filter = filterOf(rules, 'held', query);
  const found = await sumHeldEvents(pool, rules.tenant, filter, HELD_EVENTS_SUMMED_MAX);
  return ok({
    events: found.metrics.reduce((sum, { events }) => sum + events, 0),
    users: found.users,
    metrics: found.metrics.map(({ metric, events, sum, lowest, highest }) => ({
      metric: metricKeyOf(rules, metric),
      events,
      sum,
      lowest,
      highest,
    })),
    until: found.latest && new Date(found.latest.getTime() + 1).toISOString(),
  });
}

/** The events of a call, and with a filter where the next ones begin. */
async function selectAsked({
  service,
  rules,
  body: { ids, filter, cursor },
}: OperationRequest<typeof ApproveHeldEvents>): Promise<{ ids: string[]; cursor?: string | null }> {
  if ((ids === undefined) === (filter === undefined))
    throw new ServiceError('invalid', 'either ids or filter must say which events are meant');
  if (ids !== undefined && cursor !== undefined)
    throw new ServiceError('invalid', 'cursor goes with filter, not with ids');
  if (filter === undefined) return { ids: ids! };
  const limit = HELD_EVENTS_DECIDED_MAX;
  const range = rangeOf(cursor, limit);
  const selected = await selectHeldEvents(service.pool, rules.tenant, filterOf(rules, 'held', filter), range);
  return { ids: selected.map(({ eventId }) => eventId), cursor: cursorAfter(selected, limit) };
}

/** POST /admin/v1/held-events/approve */
export async function approveHeldEvents(
  call: OperationRequest<typeof ApproveHeldEvents>,
): Promise<OperationResponse<typeof ApproveHeldEvents>> {
  const { ids, ...next } = await selectAsked(call);
  const { service, rules, body } = call;
  return ok({ events: await service.approvals.approve(rules, ids, body.reason, contextOf(call)), ...next });
}

/** POST /admin/v1/held-events/reject: one transaction for each event, in order. */
export async function rejectHeldEvents(
  call: OperationRequest<typeof RejectHeldEvents>,
): Promise<OperationResponse<typeof RejectHeldEvents>> {
  const { service, rules, body } = call;
  const { ids, ...next } = await selectAsked(call);
  const { actor, actorName = '', now } = contextOf(call);
  const decision = { decidedAt: new Date(now), reason: body.reason, actor, actorName };
  const events: DecidedEvent[] = [];
  for (const id of ids) {
    const decided = await transaction(service.pool, async (client): Promise<DecidedEvent> => {
      const held = await lockHeldEvent(client, rules.tenant, id);
      if (held?.status !== 'held') return decidedAlready(id, held, 'rejected');
      await closeHeldEvent(client, rules, { ...held, ...decision, status: 'rejected' });
      return { id, status: 'rejected' };
    });
    events.push(decided);
  }
  return ok({ events, ...next });
}
