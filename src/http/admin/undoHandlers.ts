import { ServiceError } from '../../base/errors.ts';
import { undoId } from '../../base/ids.ts';
import type { GetEventUndo, UndoEvent } from '../../contract/eventUndo.ts';
import { findAuditedCreation, writeAudit } from '../../db/access/audit.ts';
import { transaction } from '../../db/pool.ts';
import { findBegunLater, readUndoable, type UndoableRow } from '../../db/users/readUndoable.ts';
import type { Undoing } from '../../engine/events/lateEvents.ts';
import { recordByAdmin } from '../../engine/events/recordByAdmin.ts';
import { readErasures } from '../../engine/users/erasures.ts';
import { blocked } from '../../engine/users/userRefusals.ts';
import type { UserState } from '../../redis/state/userState.ts';
import { ORIGIN_ATTRIBUTE } from '../../rules/award.ts';
import { dateOfDay } from '../../rules/calendar.ts';
import { ranksGain } from '../../rules/compile/compileLeaderboards.ts';
import type { Metric } from '../../rules/config.ts';
import type { Rules } from '../../rules/rules.ts';
import { boardsOfUndo, undoneBy } from '../../rules/undo.ts';
import { namedView } from '../history/timelineView.ts';
import { type OperationRequest, type OperationResponse, ok } from '../request/endpoint.ts';
import { contextOf } from './resources.ts';

/** What is to be undone. */
interface Undo {
  rules: Rules;
  user: UserState;
  event: UndoableRow;
  metric: Metric;
  undoes: Undoing;
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
  const event = await service.history.read(tenant, (rows) => readUndoable(rows, key, path.eventId));
  if (event === null) {
    throw new ServiceError(
      'notFound',
      `User ${path.id} has no event ${path.eventId}, or it is no longer kept`,
    );
  }
  const metric = rules.findByNo('metrics', event.metric);
  if (metric === null) throw new ServiceError('notFound', 'The metric of the event was deleted');
  const refusal = refusalOf(event);
  if (refusal !== null) throw new ServiceError('invalid', refusal);
  if (user.block !== null && event.undoneAt === null) throw blocked(path.id, user.block.until);
  const boards = rules.config.leaderboards.map(({ id }) => id);
  const begunLater = await findBegunLater(service.pool, tenant, boards, event.at);
  return { rules, user, event, metric, undoes: { id: path.eventId, begunLater, erasures } };
}

function refusalOf({ attributes, value }: UndoableRow): string | null {
  const origin = attributes[ORIGIN_ATTRIBUTE];
  if (undoneBy(origin) !== null) return 'The event undoes another one. Send that one again instead';
  if (origin !== undefined) return 'A total that an import has set cannot be undone';
  return value > 0 ? null : 'Only an event with a positive value can be undone';
}

/** GET /admin/v1/users/{id}/events/{eventId}/undo */
export async function getEventUndo(call: Call): Promise<OperationResponse<typeof GetEventUndo>> {
  const { rules, user, event, metric, undoes } = await readUndo(call);
  const { at, value, undoneAt } = event;
  const attributes = new Map(Object.entries(event.attributes).map(([no, text]) => [Number(no), text]));
  const zone = user.tz ?? rules.config.settings.defaultTimeZone;
  const boards = boardsOfUndo(rules, { metric, attributes, at }, undoes, zone, call.service.clock.now());
  return ok({
    eventId: call.path.eventId,
    metric: namedView(rules, 'metrics', metric.no),
    value,
    timestamp: new Date(at).toISOString(),
    total: totalOf(rules, user, metric),
    leaderboards: boards.map(({ board, run }) => ({
      leaderboard: { key: board.key, name: board.name },
      run: dateOfDay(run),
      isTotal: !ranksGain(board),
    })),
    undoneAt: undoneAt === null ? null : new Date(undoneAt).toISOString(),
  });
}

/**
 * POST /admin/v1/users/{id}/events/{eventId}/undo. The event is recorded before the audit log: if this
 * process dies between, the repeated call finds the event in the history and completes the log.
 */
export async function undoEvent(
  call: OperationRequest<typeof UndoEvent>,
): Promise<OperationResponse<typeof UndoEvent>> {
  const { service, path, body } = call;
  const undo = await readUndo(call);
  const { rules, event, metric } = undo;
  const { tenant } = rules;
  const id = undoId(tenant, path.eventId);
  if (event.undoneAt === null) await recordUndo(call, undo, id);
  const undone = await transaction(service.pool, async (client) => {
    if ((await findAuditedCreation(client, tenant, id)) !== null) return false;
    const { value, at } = event;
    const after = {
      event: path.eventId,
      metric: metric.key,
      value,
      timestamp: new Date(at).toISOString(),
      reason: body.reason,
    };
    await writeAudit(client, tenant, contextOf(call), [
      { action: 'create', kind: 'undoneEvents', id, userId: path.id, before: null, after },
    ]);
    return true;
  });
  const { user } = await service.users.read(rules, path.id);
  return ok({ eventId: path.eventId, id, undone, total: totalOf(rules, user, metric) });
}

async function recordUndo(
  { service, path }: Call,
  { rules, event, metric, undoes }: Undo,
  id: string,
): Promise<void> {
  // Nothing that is configured has the attributes that were deleted since.
  const attributes = Object.fromEntries(
    Object.entries(event.attributes).flatMap(([no, value]) => {
      const attribute = rules.findByNo('attributes', Number(no));
      return attribute === null ? [] : [[attribute.key, value]];
    }),
  );
  const timestamp = new Date(event.at).toISOString();
  const request = { user: { id: path.id }, value: -event.value, attributes, timestamp };
  await recordByAdmin(service, rules, metric, request, { id, undoes });
}
