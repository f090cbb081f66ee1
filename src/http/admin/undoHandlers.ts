import { GetEventUndo, UndoEvent } from '../../contract/eventUndo.ts';
import { namedView } from '../history/timelineView.ts';
import { contextOf } from '../request/adminContext.ts';
import { endpoint, ok } from '../request/endpoint.ts';
import { checkTakenBack, readUndo, totalOf, undoOnce } from './undoOnce.ts';
import { NO_EFFECT, previewUndo } from './undoPreview.ts';

export const getEventUndo = endpoint(GetEventUndo, async ({ service, rules: given, path }) => {
  const { rules, user, event, undoneAt } = await readUndo(service, given, {
    userId: path.id,
    eventId: path.eventId,
  });
  const { id, metric, value, at } = event;
  const effect =
    undoneAt === null
      ? await previewUndo(service, rules, { userId: path.id, user }, event, service.clock.now())
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

export const undoEvent = endpoint(UndoEvent, async (call) => {
  const { service, path, body } = call;
  checkTakenBack(body);
  const which = { userId: path.id, eventId: path.eventId };
  const { rules, id, metric, undone } = await undoOnce(service, call.rules, which, body, contextOf(call));
  const { user } = await service.users.read(rules, path.id);
  return ok({ eventId: path.eventId, id, undone, total: totalOf(rules, user, metric) });
});
