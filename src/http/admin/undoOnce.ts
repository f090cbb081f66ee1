import type { AdminContext } from '../../admin/entities/resource.ts';
import { undoId } from '../../base/ids.ts';
import type { UndoEvent } from '../../contract/eventUndo.ts';
import type { RequestOf } from '../../contract/operation.ts';
import { findAuditedCreation } from '../../db/access/audit.ts';
import { markUndone } from '../../db/history/heldEventRows.ts';
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
import { audit } from '../request/adminContext.ts';
import { invalid, notFound } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';

interface Undo {
  rules: Rules;
  user: UserState;
  event: UndoneEvent;
  /** ms; null unless the event is undone. */
  undoneAt: number | null;
  erasures: Erasures;
}

/** An event of a user. */
interface EventOfUser {
  userId: string;
  eventId: string;
}

type Request = RequestOf<typeof UndoEvent>;

/** @throws ServiceError `invalid` */
export function checkTakenBack({
  points = false,
  achievements = false,
}: Pick<Request, keyof UndoScope>): void {
  if (achievements && !points) throw invalid('achievements requires points: true');
}

export const totalOf = (rules: Rules, user: UserState, metric: Metric): number =>
  user.counters.get(rules.counterOf(metric.id).no) ?? 0;

/** @throws ServiceError if the event cannot be undone */
export async function readUndo(
  service: Service,
  given: Rules,
  { userId, eventId }: EventOfUser,
): Promise<Undo> {
  const erasures = await readErasures(service, given.tenant);
  const { user, rules } = await service.users.read(given, userId);
  const { tenant } = rules;
  const key = { tenant, userId };
  const found = await service.history.readUser(key, async (rows) => {
    const row = await readUndoable(rows, key, eventId);
    const caused = row?.awards.map(({ trigger }) => ({ trigger, boosts: null })) ?? [];
    return row && { row, causes: await findCauses(rows, rules, caused) };
  });
  if (found === null) {
    throw notFound(`User ${userId} has no event ${eventId}, or it is no longer kept`);
  }
  const { row, causes } = found;
  const metric = rules.findByNo('metrics', row.metric);
  if (metric === null) throw notFound('The metric of the event was deleted');
  const refusal = refusalOf(row);
  if (refusal !== null) throw invalid(refusal);
  if (user.block !== null && row.undoneAt === null) throw blocked(userId, user.block.until);
  const boards = rules.config.leaderboards.map(({ id }) => id);
  const begun = await readBeginnings(service.pool, tenant, boards);
  const { attributes, facts } = splitFacts(row.attributes);
  const { value, at, arrivedAt, day } = row;
  const points = pointsOf(causes, row);
  const event = { id: eventId, metric, value, attributes, facts, day, at, arrivedAt, points, begun };
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

interface UndoOnce {
  /** In force when it was undone. */
  rules: Rules;
  metric: Metric;
  /** Of the event that undoes it. */
  id: string;
  /** False if it had been undone before. */
  undone: boolean;
}

/**
 * Undoes an event, unless it is undone. It is recorded before the audit log: if this process dies between,
 * the repeated call finds the event in the history and completes the log.
 * @param request which `checkTakenBack` allows
 * @throws ServiceError if the event cannot be undone
 */
export async function undoOnce(
  service: Service,
  given: Rules,
  which: EventOfUser,
  request: Request,
  context: AdminContext,
): Promise<UndoOnce> {
  const { reason, points = false, achievements = false } = request;
  const { userId, eventId } = which;
  const undo = await readUndo(service, given, which);
  const { rules, event } = undo;
  const { metric, value, at } = event;
  const { tenant } = rules;
  const id = undoId(tenant, eventId);
  if (undo.undoneAt === null) await recordUndo(service, userId, undo, { points, achievements }, id);
  const undone = await transaction(service.pool, async (client) => {
    const isFirst = (await findAuditedCreation(client, tenant, id)) === null;
    await markUndone(client, tenant, eventId);
    if (!isFirst) return false;
    const after = {
      event: eventId,
      metric: metric.key,
      value,
      timestamp: new Date(at),
      points,
      achievements,
      reason,
    };
    await audit(client, context, { action: 'create', kind: 'undoneEvents', id, userId, after });
    return true;
  });
  return { rules, metric, id, undone };
}

async function recordUndo(
  service: Service,
  userId: string,
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
  const request = { user: { id: userId }, value: -value, attributes, timestamp: new Date(at).toISOString() };
  await recordByAdmin(service, rules, metric, request, { id, undoes: { event, scope, erasures } });
}
