import type { EventOperation } from '../../support/randomOperations.ts';
import { Excused, type Expected } from '../difference.ts';
import { ANY_ID, withRanks } from '../expected/changes.ts';
import type { BatchOperation } from '../operations.ts';
import { type Both, ERROR, type Expectation, type Performers, REFUSED } from './both.ts';
import { answerOfEvent, bodyOf, eventsOf, noteHeld, sortAchievements } from './events.ts';

const RANKS = new Excused('object', 'they are those after a call of a script, and a batch may take several');

type Result = Readonly<Record<string, Expected | undefined>>;

export const BATCHES: Performers<'batch'> = {
  async batch(both, drawn) {
    const operation = { ...drawn, events: await inOneCall(both, drawn.events) };
    const { events, results: isShown, strict, invalid } = operation;
    const path = `/admin/v1/metrics/events?results=${isShown}&strict=${strict}`;
    const items = itemsOf(operation);
    const answer = await both.service.call('POST', path, items);
    for (const { event, metrics } of answer.body?.results ?? []) sortAchievements(event ?? { metrics });
    const call = `POST ${path} ${JSON.stringify(items)}`;
    if (invalid) both.compare(call, answer, REFUSED);
    else {
      const ids = new Map<number, string>(
        (answer.body?.held ?? []).map(({ index, eventId }: { index: number; eventId: string }) => [
          index,
          eventId,
        ]),
      );
      both.compare(call, answer, answerOf(resultsOf(both, operation, ids), isShown));
    }
    for (const id of new Set(events.map(({ request }) => request.user.id))) await both.readUser(id);
  },
};

const isOfOneUser = (events: readonly EventOperation[]): boolean =>
  new Set(events.map(({ request }) => request.user.id)).size === 1;

/**
 * Of several users, each event names the zone in which the user is, and no key, and newer rules of time look
 * at the users first: else the server has to ask about some users, and these come after the others, as ranks
 * and the order of equal scores tell.
 */
async function inOneCall(both: Both, events: readonly EventOperation[]): Promise<readonly EventOperation[]> {
  if (isOfOneUser(events)) return events;
  const { model } = both;
  const ids = new Set(events.map(({ request }) => request.user.id));
  for (const id of ids) if (model.users.get(id)?.reviewAt != null) await both.readUser(id);
  const { defaultTimeZone } = model.config.settings;
  return events.map(({ request, ...event }) => {
    const tz = model.users.get(request.user.id)?.tz ?? defaultTimeZone;
    return { ...event, request: { ...request, user: { ...request.user, tz } }, key: null };
  });
}

function itemsOf({ events, misspelled, invalid }: BatchOperation): object[] {
  const items = events.map((event, i) => ({
    ...(event.others === undefined && { key: event.metric }),
    ...bodyOf(event),
    ...(misspelled.includes(i) && { valeu: 1 }),
  }));
  const { user } = events[0]!.request;
  return invalid ? [...items, { key: 'unknown', user, value: 1 }] : items;
}

/**
 * The results of all events, in the order of the request. Events of a user are evaluated in a row.
 * @param ids of the held events, by the answer
 */
function resultsOf(
  both: Both,
  { events, strict, misspelled }: BatchOperation,
  ids: ReadonlyMap<number, string>,
): Result[] {
  const { model, books, now } = both;
  const results = events.map((): Result => ({ status: 422, error: ERROR }));
  const isKnown = (index: number): boolean =>
    !misspelled.includes(index) && !('signUpDate' in events[index]!.request.user);
  const taken = [...events.keys()].filter((index) => !strict || isKnown(index));
  const userOf = (index: number): string => events[index]!.request.user.id;
  const inOrder = [...new Set(taken.map(userOf))].flatMap((id) =>
    taken.filter((index) => userOf(index) === id),
  );
  const recorded = inOrder.map((index) => withoutSignUp(events[index]!));
  const sent = recorded.map((event) => eventsOf(model.config, event));
  const outcomes = books.log.inCall('batch', () => model.recordAll(sent, now));
  for (const [i, index] of inOrder.entries()) {
    const answer = answerOfEvent(both, recorded[i]!, outcomes[i]!);
    noteHeld(both, events[index]!, outcomes[i]![0]!, ids.get(index)!);
    results[index] = resultOf(isOfOneUser(events) ? withRanks(answer, () => RANKS) : answer);
  }
  return results;
}

/** A batch cannot set the sign-up date. */
function withoutSignUp({ request, ...event }: EventOperation): EventOperation {
  const { signUpDate: _ignored, ...user } = request.user;
  return { ...event, request: { ...request, user } };
}

function resultOf({ status, body }: Expectation): Result {
  const { idempotencyKey: _key, idempotentReplayed: _replayed, ...result } = body as Result;
  if (result.error !== undefined) return { status, ...result };
  if (result.held) return { status, held: true, eventId: ANY_ID };
  return result.metrics === undefined ? { status, event: body } : { status, metrics: result.metrics };
}

function answerOf(results: readonly Result[], isShown: boolean): Expectation {
  const indexed = results.map((result, index) => ({ ...result, index }) as Result);
  const held = indexed.filter((result) => result.held).map(({ index, eventId }) => ({ index, eventId }));
  const body = {
    accepted: results.filter(({ error, held }) => error === undefined && !held).length,
    refused: indexed.filter(({ error }) => error !== undefined),
    ...(held.length > 0 && { held }),
    ...(isShown && { results }),
  };
  return { status: 202, body };
}
