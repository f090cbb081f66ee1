import { ServiceError } from '../../base/errors.ts';
import { HELD_EVENTS_COUNTED_MAX } from '../../base/guardLimits.ts';
import type { ApproveHeldEvents, ListHeldEvents, RejectHeldEvents } from '../../contract/heldEvents.ts';
import { countHeldEvents, listHeldEvents, lockHeldEvent } from '../../db/history/heldEventRows.ts';
import { transaction } from '../../db/pool.ts';
import { closeHeldEvent } from '../../engine/heldEvents/closeHeldEvent.ts';
import { type DecidedEvent, decidedAlready } from '../../engine/heldEvents/decidedEvent.ts';
import { heldEventView } from '../../engine/heldEvents/heldEventView.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

type Position = [heldAt: number, eventId: string];

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  value.length === 2 &&
  Number.isSafeInteger(value[0]) &&
  typeof value[1] === 'string' &&
  UUID.test(value[1]);

/** GET /admin/v1/held-events */
export async function listHeld({
  service: { pool },
  rules,
  query,
}: OperationRequest<typeof ListHeldEvents>): Promise<OperationResponse<typeof ListHeldEvents>> {
  const last = readCursor(query.cursor, isPosition);
  const metric = query.metric === undefined ? null : rules.metricByKey.get(query.metric);
  if (metric === undefined) throw new ServiceError('notFound', `Metric ${query.metric} does not exist`);
  const [rows, waiting] = await Promise.all([
    listHeldEvents(pool, rules.tenant, {
      status: query.status,
      userId: query.user ?? null,
      metric: metric?.no ?? null,
      guard: query.guard ?? null,
      since: query.since === undefined ? null : new Date(query.since),
      position: last && { heldAt: new Date(last[0]), eventId: last[1] },
      limit: query.limit,
    }),
    countHeldEvents(pool, rules.tenant, HELD_EVENTS_COUNTED_MAX),
  ]);
  const end = rows.length < query.limit ? undefined : rows.at(-1);
  return ok({
    events: rows.map((row) => ({ ...heldEventView(rules, row), userName: row.userName })),
    waiting,
    cursor: writeCursor(end === undefined ? null : [end.heldAt.getTime(), end.eventId]),
  });
}

/** POST /admin/v1/held-events/approve */
export async function approveHeldEvents(
  call: OperationRequest<typeof ApproveHeldEvents>,
): Promise<OperationResponse<typeof ApproveHeldEvents>> {
  const { ids, reason } = call.body;
  return ok({ events: await call.service.approvals.approve(call.rules, ids, reason, contextOf(call)) });
}

/** POST /admin/v1/held-events/reject: one transaction for each event, in order. */
export async function rejectHeldEvents(
  call: OperationRequest<typeof RejectHeldEvents>,
): Promise<OperationResponse<typeof RejectHeldEvents>> {
  const { service, rules, body } = call;
  const { actor, actorName = '', now } = contextOf(call);
  const decision = { decidedAt: new Date(now), reason: body.reason, actor, actorName };
  const events: DecidedEvent[] = [];
  for (const id of body.ids) {
    const decided = await transaction(service.pool, async (client): Promise<DecidedEvent> => {
      const held = await lockHeldEvent(client, rules.tenant, id);
      if (held?.status !== 'held') return decidedAlready(id, held, 'rejected');
      await closeHeldEvent(client, rules, { ...held, ...decision, status: 'rejected' });
      return { id, status: 'rejected' };
    });
    events.push(decided);
  }
  return ok({ events });
}
