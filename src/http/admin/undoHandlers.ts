import { undoId } from '../../base/ids.ts';
import { GetEventUndo, UndoEvent } from '../../contract/eventUndo.ts';
import { findAuditedCreation } from '../../db/access/audit.ts';
import { transaction } from '../../db/pool.ts';
import { readBeginnings, readUndoable, type UndoableRow } from '../../db/users/readUndoable.ts';
import { blocked } from '../../engine/calls/userRefusals.ts';
import { findCauses } from '../../engine/configuration/awardCauses.ts';
import { recordByAdmin } from '../../engine/events/recordByAdmin.ts';
import { type Erasures, readErasures } from '../../engine/users/erasures.ts';
import type { UserState } from '../../redis/decoding/userState.ts';
import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import { splitFacts } from '../../rules/conditions/facts.ts';
import { typedText } from '../../rules/conditions/typedValues.ts';
import type { Metric } from '../../rules/config.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { type UndoneEvent, type UndoScope, undoneBy } from '../../rules/inForce/undo.ts';
import type { Causes } from '../../views/causeView.ts';
import { namedView } from '../history/timelineView.ts';
import { audit, contextOf } from '../request/adminContext.ts';
import { endpoint, type OperationRequest, ok } from '../request/endpoint.ts';
import { invalid, notFound } from '../request/refuse.ts';
import { NO_EFFECT, previewUndo } from './undoPreview.ts';

interface Undo {
  rules: Rules;
  user: UserState;
  event: UndoneEvent;
  /** ms; null unless the event is undone. */
  undoneAt: number | null;
  erasures: Erasures;
}

type Call = Pick<OperationRequest<typeof GetEventUndo>, 'service' | 'rules' | 'path'>;

const totalOf = (rules: Rules, user: UserState, metric: Metric): number =>
  user.counters.get(rules.counterOf(metric.id).no) ?? 0;

/** @throws ServiceError if the event cannot be undone */
async function readUndo(call: Call): Promise<Undo> {
  const { service, path } = call;
  const erasures = await readErasures(service, call.rules.tenant);
  const { user, rules } = await service.users.read(call.rules, path.id);
  const { tenant } = rules;
  const key = { tenant, userId: path.id };
  const found = await service.history.readUser(key, async (rows) => {
    const row = await readUndoable(rows, key, path.eventId);
    const caused = row?.awards.map(({ trigger }) => ({ trigger, boosts: null })) ?? [];
    return row && { row, causes: await findCauses(rows, rules, caused) };
  });
  if (found === null) {
    throw notFound(`User ${path.id} has no event ${path.eventId}, or it is no longer kept`);
  }
  const { row, causes } = found;
  const metric = rules.findByNo('metrics', row.metric);
  if (metric === null) throw notFound('The metric of the event was deleted');
  const refusal = refusalOf(row);
  if (refusal !== null) throw invalid(refusal);
  if (user.block !== null && row.undoneAt === null) throw blocked(path.id, user.block.until);
  const boards = rules.config.leaderboards.map(({ id }) => id);
  const begun = await readBeginnings(service.pool, tenant, boards);
  const { attributes, facts } = splitFacts(row.attributes);
  const { value, at, arrivedAt, day } = row;
  const points = pointsOf(causes, row);
  const event = { id: path.eventId, metric, value, attributes, facts, day, at, arrivedAt, points, begun };
  return { rules, user, event, undoneAt: row.undoneAt, erasures };
}

/** Points by triggers of a metric, by number of the system, unless that was deleted. */
function pointsOf(causes: Causes, { awards }: UndoableRow): Map<number, number> {
  const points = new Map<number, number>();
  for (const { system, trigger, awarded } of awards) {
    const isConfigured = causes.rules.findByNo('pointsSystems', system) !== null;
    if (isConfigured && causes.trigger(trigger)?.type === 'metric')
      points.set(system, (points.get(system) ?? 0) + awarded);
  }
  return points;
}

function refusalOf({ attributes, value }: UndoableRow): string | null {
  const origin = attributes[ORIGIN_ATTRIBUTE] ?? undefined;
  if (undoneBy(origin) !== null) return 'The event undoes another one. Send that one again instead';
  if (origin !== undefined) return 'A total that an import has set cannot be undone';
  return value > 0 ? null : 'Only an event with a positive value can be undone';
}

export const getEventUndo = endpoint(GetEventUndo, async (call: Call) => {
  const { service } = call;
  const { rules, user, event, undoneAt } = await readUndo(call);
  const { id, metric, value, at } = event;
  const effect =
    undoneAt === null
      ? await previewUndo(service, rules, { userId: call.path.id, user }, event, service.clock.now())
      : NO_EFFECT;
  return ok({
    eventId: id,
    metric: namedView(rules, 'metrics', metric.no),
    value,
    timestamp: new Date(at),
    total: totalOf(rules, user, metric),
    ...effect,
    undoneAt: undoneAt === null ? null : new Date(undoneAt),
  });
});

/**
 * The event is recorded before the audit log: if this process dies between, the repeated call finds the
 * event in the history and completes the log.
 */
export const undoEvent = endpoint(UndoEvent, async (call) => {
  const { service, path, body } = call;
  const { reason, points = false, achievements = false } = body;
  if (achievements && !points) throw invalid('achievements requires points: true');
  const undo = await readUndo(call);
  const { rules, event } = undo;
  const { metric, value, at } = event;
  const { tenant } = rules;
  const id = undoId(tenant, path.eventId);
  if (undo.undoneAt === null) await recordUndo(call, undo, { points, achievements }, id);
  const undone = await transaction(service.pool, async (client) => {
    if ((await findAuditedCreation(client, tenant, id)) !== null) return false;
    const after = {
      event: path.eventId,
      metric: metric.key,
      value,
      timestamp: new Date(at),
      points,
      achievements,
      reason,
    };
    const change = { action: 'create', kind: 'undoneEvents', id, userId: path.id, after } as const;
    await audit(client, contextOf(call), change);
    return true;
  });
  const { user } = await service.users.read(rules, path.id);
  return ok({ eventId: path.eventId, id, undone, total: totalOf(rules, user, metric) });
});

async function recordUndo(
  { service, path }: Call,
  { rules, event, erasures }: Undo,
  scope: UndoScope,
  id: string,
): Promise<void> {
  const { metric, value, at } = event;
  // Nothing that is configured has attributes that were deleted or got another type since.
  const attributes = Object.fromEntries(
    Array.from(event.attributes).flatMap(([no, text]) => {
      const attribute = rules.findByNo('attributes', no);
      const isKnown = attribute !== null && typedText(attribute.valueType, text) !== null;
      return isKnown ? [[attribute.key, text]] : [];
    }),
  );
  const request = { user: { id: path.id }, value: -value, attributes, timestamp: new Date(at).toISOString() };
  await recordByAdmin(service, rules, metric, request, { id, undoes: { event, scope, erasures } });
}
