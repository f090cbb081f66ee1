import type { Outcome } from '../../../src/redis/decoding/outcome.ts';
import type { Config } from '../../../src/rules/config.ts';
import type { EventOfCall } from '../../support/model.ts';
import type { EventOperation } from '../../support/randomOperations.ts';
import { answerTo, byKey, completionAnswer, refusalOf, withRanks } from '../expected/changes.ts';
import { SpreadRanks } from '../expected/spreadRanks.ts';
import { type Answer, UNAVAILABLE } from '../service.ts';
import type { Both, Expectation, Performers } from './both.ts';

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
  const { service } = both;
  const send = (): Promise<Answer> => service.call('POST', pathOf(event), bodyOf(event, happenedAt));
  const answer = await send();
  if (answer.status !== UNAVAILABLE || event.key === null)
    return compareRecorded(both, event, answer, happenedAt);
  return compareRepeated(both, event, null, await service.untilAvailable(send), happenedAt);
}

/**
 * Compares the answers to an event that was sent twice, with its key.
 * @param first null if nobody knows what it did
 */
export function compareRepeated(
  both: Both,
  event: EventOperation,
  first: Answer | null,
  again: Answer,
  happenedAt?: number,
): string | null {
  const { model, now } = both;
  const at = Math.min(now, happenedAt ?? now);
  if (first !== null) compareRecorded(both, event, first, happenedAt);
  else if (again.body?.idempotentReplayed) model.recordAll([eventsOf(model.config, event, at)], now);
  return compareRecorded(both, event, again, happenedAt);
}

/** Records an event in the model, and compares the answer of the service. @returns as `record` */
export function compareRecorded(
  both: Both,
  event: EventOperation,
  answer: Answer,
  happenedAt?: number,
): string | null {
  const { model, now } = both;
  const at = Math.min(now, happenedAt ?? now);
  const [outcomes] = model.recordAll([eventsOf(model.config, event, at)], now);
  sortAchievements(answer.body);
  const expected = answerOfEvent(both, event, outcomes!, at);
  both.compare(`POST ${pathOf(event)} ${JSON.stringify(bodyOf(event, happenedAt))}`, answer, expected);
  noteHeld(both, event, outcomes![0]!, answer.body?.eventId);
  return outcomes![0]!.status === 'recorded' ? answer.body?.eventId : null;
}

/** @param at when the event happened, ms */
export function answerOfEvent(
  { service, model, now }: Both,
  event: EventOperation,
  outcomes: readonly Outcome[],
  at = now,
): Expectation {
  const { config, users } = model;
  const answer = answerTo(config, event, outcomes, users.get(event.request.user.id), now, at);
  if (service.cellOf === null || answer.status !== 201) return answer;
  return withRanks(answer, (ranks) => new SpreadRanks(config, ranks));
}

/** Where an event is sent. */
export const pathOf = ({ metric, others }: EventOperation): string =>
  others === undefined ? `/v1/metrics/${metric}/event` : '/v1/events';

/** What is sent of an event. */
export function bodyOf(
  { metric, request, key, others }: EventOperation,
  happenedAt?: number,
): Record<string, unknown> {
  const { value, ...shared } = request;
  return {
    ...shared,
    ...(others === undefined ? { value } : { metrics: { [metric]: value, ...others } }),
    ...(key !== null && { idempotencyKey: key }),
    ...(happenedAt !== undefined && { timestamp: new Date(happenedAt).toISOString() }),
  };
}

/** The event of each metric of an event, in the order of the configuration. */
export function eventsOf(
  { metrics }: Config,
  { metric, request, key, others }: EventOperation,
  happenedAt?: number,
): EventOfCall[] {
  const values: Record<string, number> = { [metric]: request.value, ...others };
  return metrics
    .filter(({ key: name }) => name in values)
    .map(({ key: name }) => ({
      metric: name,
      request: { ...request, value: values[name]! },
      key,
      ...(happenedAt !== undefined && { happenedAt }),
    }));
}

/** Puts achievements into the order in which they are compared, in the answer to an event. */
export function sortAchievements(body: Answer['body']): void {
  if (Array.isArray(body?.achievements)) body.achievements.sort(byKey);
  for (const ofMetric of Object.values(body?.metrics ?? {})) sortAchievements(ofMetric);
}

const textsOf = (attributes: object): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]));

/** Notes an event that a guard holds now. @param id of the event, by the answer */
export function noteHeld(
  { books, webhooks, now }: Both,
  event: EventOperation,
  outcome: Outcome,
  id: string,
): void {
  if (outcome.status !== 'held' || outcome.guard === null) return;
  const { user, value, attributes = {} } = event.request;
  const held = books.held.note({
    id,
    userId: user.id,
    metric: event.metric,
    value,
    attributes: textsOf(attributes),
    guard: outcome.guard,
    at: now,
  });
  webhooks.review(held, now);
}
