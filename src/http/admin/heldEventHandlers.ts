import { ServiceError } from '../../base/errors.ts';
import { HELD_EVENTS_COUNTED_MAX } from '../../base/guardLimits.ts';
import type { ApproveHeldEvents, ListHeldEvents, RejectHeldEvents } from '../../contract/heldEvents.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import { writeAudit } from '../../db/access/audit.ts';
import {
  countHeldEvents,
  decideHeldEvent,
  type HeldEventRow,
  listHeldEvents,
  lockHeldEvent,
} from '../../db/history/heldEventRows.ts';
import { type PoolClient, transaction } from '../../db/pool.ts';
import { heldEventView } from '../../engine/webhooks/heldEventView.ts';
import { reportHeldEvent } from '../../engine/webhooks/reportHeldEvent.ts';
import { refusalOf } from '../events/refusalOf.ts';
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
    events: rows.map((row) => heldEventView(rules, row)),
    waiting,
    cursor: writeCursor(end === undefined ? null : [end.heldAt.getTime(), end.eventId]),
  });
}

type Call = OperationRequest<typeof ApproveHeldEvents> | OperationRequest<typeof RejectHeldEvents>;
type Decided = ResponseOf<typeof ApproveHeldEvents>['events'][number];

/** POST /admin/v1/held-events/approve */
export function approveHeldEvents(
  call: OperationRequest<typeof ApproveHeldEvents>,
): Promise<OperationResponse<typeof ApproveHeldEvents>> {
  return decideAll(call, 'approved', (client, held) => record(call, client, held));
}

/** POST /admin/v1/held-events/reject */
export function rejectHeldEvents(
  call: OperationRequest<typeof RejectHeldEvents>,
): Promise<OperationResponse<typeof RejectHeldEvents>> {
  return decideAll(call, 'rejected', () => Promise.resolve());
}

/** One transaction for each event, in order: the first decision about an event is the only one. */
async function decideAll(
  call: Call,
  status: 'approved' | 'rejected',
  carryOut: (client: PoolClient, held: HeldEventRow) => Promise<void>,
): Promise<OperationResponse<typeof ApproveHeldEvents>> {
  const events: Decided[] = [];
  for (const id of call.body.ids) {
    const decided = await transaction(call.service.pool, (client) =>
      decide(call, client, id, status, carryOut),
    );
    events.push(decided);
  }
  return ok({ events });
}

async function decide(
  call: Call,
  client: PoolClient,
  id: string,
  status: 'approved' | 'rejected',
  carryOut: (client: PoolClient, held: HeldEventRow) => Promise<void>,
): Promise<Decided> {
  const { rules, body } = call;
  const held = await lockHeldEvent(client, rules.tenant, id);
  if (held === null) return { id, status: null, error: `No event ${id} is held` };
  if (held.status !== 'held') {
    const error = held.status === status ? {} : { error: `The event is ${held.status}` };
    return { id, status: held.status, ...error };
  }
  try {
    await carryOut(client, held);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error;
    return { id, status: 'held', error: error.message };
  }
  const context = contextOf(call);
  const after: HeldEventRow = { ...held, status, decidedAt: new Date(context.now), reason: body.reason };
  await decideHeldEvent(client, rules.tenant, held, after);
  await reportHeldEvent(client, rules, after, context.now);
  const { metric, value } = heldEventView(rules, held);
  await writeAudit(client, rules.tenant, context, [
    {
      action: 'update',
      kind: 'heldEvents',
      id,
      userId: held.userId,
      before: { status: 'held', metric, value },
      after: { status, reason: body.reason },
    },
  ]);
  return { id, status };
}

/** @throws ServiceError if the rules refuse the event, which then stays held */
async function record(
  { service, rules }: OperationRequest<typeof ApproveHeldEvents>,
  client: PoolClient,
  held: HeldEventRow,
): Promise<void> {
  const metric = rules.findByNo('metrics', held.metric);
  if (metric === null) throw new ServiceError('notFound', 'The metric of the event was deleted');
  const outcome = await service.approvals.record(rules, client, { ...held, metricKey: metric.key });
  if (outcome.status === 'recorded') service.metrics.recordedEvents.inc();
  else if (outcome.status !== 'replayed')
    throw refusalOf(outcome, { userId: held.userId, metric }, rules, 'backend', service.metrics);
}
