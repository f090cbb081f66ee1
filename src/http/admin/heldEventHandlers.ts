import { ServiceError } from '../../base/errors.ts';
import {
  HELD_EVENTS_COUNTED_MAX,
  HELD_EVENTS_DECIDED_MAX,
  HELD_EVENTS_SUMMED_MAX,
} from '../../base/guardLimits.ts';
import {
  ApproveHeldEvents,
  type DecidedEventConditions,
  ListHeldEvents,
  RejectHeldEvents,
  SummarizeHeldEvents,
  UndoApprovedEvents,
} from '../../contract/heldEvents.ts';
import {
  countHeldEvents,
  findHeldEvent,
  type HeldEventFilter,
  type HeldEventPageRange,
  listHeldEvents,
  lockHeldEvent,
  sumHeldEvents,
} from '../../db/history/heldEventRows.ts';
import { transaction } from '../../db/pool.ts';
import {
  closeHeldEvent,
  type DecidedEvent,
  decidedAlready,
  heldEventView,
  metricKeyOf,
} from '../../engine/heldEvents/heldEvent.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { contextOf } from '../request/adminContext.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';
import { endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { findMetric } from '../request/find.ts';
import { invalid } from '../request/refuse.ts';
import { checkTakenBack, undoOnce } from './undoOnce.ts';

export const listHeld = endpoint(ListHeldEvents, async ({ service: { pool }, rules, query }) => {
  const { status, limit } = query;
  const [rows, waiting] = await Promise.all([
    listHeldEvents(
      pool,
      rules.tenant,
      filterOf(rules, { status, isPositive: false }, query),
      rangeOf(query.cursor, limit),
      'desc',
    ),
    countHeldEvents(pool, rules.tenant, HELD_EVENTS_COUNTED_MAX),
  ]);
  return ok({
    events: rows.map((row) => ({ ...heldEventView(rules, row), userName: row.userName })),
    waiting,
    cursor: cursorAfter(rows, limit),
  });
});

export const summarizeHeld = endpoint(SummarizeHeldEvents, async ({ service: { pool }, rules, query }) => {
  const filter = filterOf(rules, toBe(query.status), query);
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
    until: found.latest && new Date(found.latest.getTime() + 1),
  });
});

/** Events that a decision or an undo would change. */
const toBe = (status: 'held' | 'approved') => ({ status, isPositive: status === 'approved' });

/** The events of a call, and with a filter where the next ones begin. */
async function selectAsked(
  {
    service,
    rules,
    body: { ids, filter, cursor },
  }: Pick<OperationRequest<typeof UndoApprovedEvents>, 'service' | 'rules' | 'body'>,
  status: 'held' | 'approved',
): Promise<{ ids: string[]; cursor?: string | null }> {
  if ((ids === undefined) === (filter === undefined)) throw invalid('either ids or filter must be given');
  if (ids !== undefined && cursor !== undefined)
    throw invalid('cursor must be given with filter, not with ids');
  if (filter === undefined) return { ids: ids! };
  const limit = HELD_EVENTS_DECIDED_MAX;
  const [matching, range] = [filterOf(rules, toBe(status), filter), rangeOf(cursor, limit)];
  const selected = await listHeldEvents(service.pool, rules.tenant, matching, range, 'asc');
  return { ids: selected.map(({ eventId }) => eventId), cursor: cursorAfter(selected, limit) };
}

export const approveHeldEvents = endpoint(ApproveHeldEvents, async (call) => {
  const { ids, ...next } = await selectAsked(call, 'held');
  const { service, rules, body } = call;
  return ok({ events: await service.approvals.approve(rules, ids, body.reason, contextOf(call)), ...next });
});

/** One transaction for each event, in order. */
export const rejectHeldEvents = endpoint(RejectHeldEvents, async (call) => {
  const { service, rules, body } = call;
  const { ids, ...next } = await selectAsked(call, 'held');
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
});

/** Most of the time of an undo is the wait for the history of what was recorded before. */
const UNDONE_AT_ONCE = 10;

/** A few events at once. If a store is away, the repeated call goes on. */
export const undoApprovedEvents = endpoint(UndoApprovedEvents, async (call) => {
  checkTakenBack(call.body);
  const { ids, ...next } = await selectAsked(call, 'approved');
  const events: DecidedEvent[] = [];
  for (let at = 0; at < ids.length; at += UNDONE_AT_ONCE) {
    const some = ids.slice(at, at + UNDONE_AT_ONCE);
    events.push(...(await Promise.all(some.map((id) => undoApproved(call, id)))));
  }
  return ok({ events, ...next });
});

/** @throws ServiceError `unavailable` */
async function undoApproved(
  call: OperationRequest<typeof UndoApprovedEvents>,
  id: string,
): Promise<DecidedEvent> {
  const { service, rules, body } = call;
  const held = await findHeldEvent(service.pool, rules.tenant, id);
  if (held?.status !== 'approved') return decidedAlready(id, held, 'undone');
  try {
    await undoOnce(service, rules, { userId: held.userId, eventId: id }, body, contextOf(call));
    return { id, status: 'undone' };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error;
    return { id, status: 'approved', error: error.message };
  }
}

type Position = [heldAt: number, eventId: string];

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  value.length === 2 &&
  Number.isSafeInteger(value[0]) &&
  typeof value[1] === 'string' &&
  UUID.test(value[1]);

/** @throws ServiceError `notFound` without such a metric */
function filterOf(
  rules: Rules,
  kind: Pick<HeldEventFilter, 'status' | 'isPositive'>,
  asked: DecidedEventConditions,
): HeldEventFilter {
  const { user = null, guard = null, minValue = null, maxValue = null } = asked;
  const metric = asked.metric === undefined ? null : findMetric(rules, asked.metric);
  const instant = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
  return {
    ...kind,
    userId: user,
    metric: metric?.no ?? null,
    guard,
    since: instant(asked.since),
    until: instant(asked.until),
    minValue,
    maxValue,
    decidedSince: instant(asked.decidedSince),
    decidedUntil: instant(asked.decidedUntil),
  };
}

/** @throws ServiceError `invalid` if the cursor is not one of `cursorAfter` */
function rangeOf(cursor: string | undefined, limit: number): HeldEventPageRange {
  const last = readCursor(cursor, isPosition);
  return { after: last && { heldAt: new Date(last[0]), eventId: last[1] }, limit };
}

/** Where the next page begins; null if there is none. */
function cursorAfter(page: readonly { heldAt: Date; eventId: string }[], limit: number): string | null {
  const last = page.length < limit ? undefined : page.at(-1);
  return writeCursor(last === undefined ? null : [last.heldAt.getTime(), last.eventId]);
}
