import type { Outcome } from '../../../src/redis/decoding/outcome.ts';
import type { EventOperation } from '../../support/randomOperations.ts';
import { byKey, completionAnswer, eventAnswer, refusalOf } from '../expected/changes.ts';
import type { Both, Performers } from './both.ts';

export const EVENTS: Performers<'record' | 'complete'> = {
  async record(both, { events }) {
    for (const event of events) await record(both, event);
    for (const id of new Set(events.map(({ request }) => request.user.id))) await both.readUser(id);
  },

  async complete(both, { userId, profile, achievement }) {
    const { service, model, now } = both;
    const path = `/v1/achievements/${achievement}/complete`;
    const answer = await service.call('POST', path, { user: { id: userId, ...profile } });
    const outcome = model.complete(userId, profile, achievement, now);
    const isDone = outcome.status === 'recorded' || outcome.status === 'unchanged';
    const expected = isDone
      ? completionAnswer(model.config, achievement, model.users.get(userId)!, outcome)
      : refusalOf(outcome);
    both.compare(`POST ${path}`, answer, expected);
    await both.readUser(userId);
  },
};

/**
 * @param happenedAt of an event that says when it happened, ms
 * @returns the id of the event; null if it is not recorded now
 */
export async function record(both: Both, event: EventOperation, happenedAt?: number): Promise<string | null> {
  const { service, model, now } = both;
  const { metric, request, key } = event;
  const path = `/v1/metrics/${metric}/event`;
  const body = {
    ...request,
    ...(key !== null && { idempotencyKey: key }),
    ...(happenedAt !== undefined && { timestamp: new Date(happenedAt).toISOString() }),
  };
  const answer = await service.call('POST', path, body);
  const at = Math.min(now, happenedAt ?? now);
  const [outcome] = model.recordTogether([{ metric, request, key, happenedAt: at }], now);
  if (Array.isArray(answer.body?.achievements)) answer.body.achievements.sort(byKey);
  const user = model.users.get(request.user.id);
  const expected = eventAnswer(model.config, event, outcome!, user, now, at);
  both.compare(`POST ${path} ${JSON.stringify(body)}`, answer, expected);
  noteHeld(both, event, outcome!, answer.body?.eventId);
  return outcome!.status === 'recorded' ? answer.body?.eventId : null;
}

const textsOf = (attributes: object): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]));

/** Notes an event that a guard holds now. @param id of the event, by the answer */
export function noteHeld({ books, now }: Both, event: EventOperation, outcome: Outcome, id: string): void {
  if (outcome.status !== 'held' || outcome.guard === null) return;
  const { user, value, attributes = {} } = event.request;
  books.held.note({
    id,
    userId: user.id,
    metric: event.metric,
    value,
    attributes: textsOf(attributes),
    guard: outcome.guard,
    at: now,
  });
}
