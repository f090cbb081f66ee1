import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { CALL_COST_US_MAX } from '../../base/limits.ts';
import {
  type BatchEventResult,
  BatchMetricEvent,
  type EventResponse,
  type RecordEventBatch,
} from '../../contract/event.ts';
import { unknownFields } from '../../contract/unknownFields.ts';
import { asServiceError } from '../../engine/availability.ts';
import { addEvent } from '../../engine/events/addEvent.ts';
import { countWithin } from '../../engine/events/callBudget.ts';
import type { EventJob } from '../../engine/events/cellQueue.ts';
import { eventRefusal } from '../../engine/events/eventRefusals.ts';
import { type PreparedEvent, prepareEvent } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import type { OperationRequest, OperationResponse } from '../request/endpoint.ts';
import type { Service } from '../request/service.ts';
import { countAnswer } from './countAnswer.ts';
import { holdEvent } from './holdEvent.ts';
import { eventResponseJson } from './recordEvents.ts';

/** POST /admin/v1/metrics/events?results=&strict=: up to 1,000 events, in order for each user. */
export function recordEventBatch({
  service,
  rules: known,
  query,
  body,
}: OperationRequest<typeof RecordEventBatch>): Promise<OperationResponse<typeof RecordEventBatch>> {
  return service.batches.run(async () => {
    const items = body.map(withoutSignUp);
    const { rules, prepared } = await prepareAll(service, known, items);
    const results = query.strict
      ? body.map(refusalOfUnknown)
      : new Array<BatchEventResult | null>(body.length).fill(null);
    const order = userByUser(prepared).filter((index) => results[index] === null);
    // One part after the other, to keep the order of each user's events. A part is not more than one call may
    // cost, so that events of others come between.
    for (let at = 0, count = 0; at < order.length; at += count) {
      count = countWithin(order.length - at, (i) => prepared[order[at + i]!]!.costUs, CALL_COST_US_MAX);
      const part = order.slice(at, at + count);
      const record = async (index: number): Promise<void> => {
        results[index] = await recordItem(service, rules, items[index]!, prepared[index]!, query.results);
      };
      await Promise.all(part.map(record));
    }
    return answerOf(results as BatchEventResult[], query.results);
  });
}

/** A field that an item does not have is ignored, although a single event takes it. */
function withoutSignUp(item: BatchMetricEvent): BatchMetricEvent {
  if (!('signUpDate' in item.user)) return item;
  const { signUpDate: _ignored, ...user } = item.user;
  return { ...item, user };
}

/** The result of an item with unknown fields; null if all are known. */
function refusalOfUnknown(item: BatchMetricEvent): BatchEventResult | null {
  const names = unknownFields(BatchMetricEvent, item);
  if (names.length === 0) return null;
  const { status, message } = new ServiceError(
    'invalid',
    names.map((name) => `${name} is not known`).join('; '),
  );
  return { status, error: message };
}

/** @throws ServiceError `unavailable` if events may be lost and the results are not shown */
function answerOf(results: BatchEventResult[], isShown: boolean): OperationResponse<typeof RecordEventBatch> {
  const accepted = results.filter(({ error, held }) => error === undefined && !held).length;
  const held = results.flatMap((result, index) => (result.held ? [{ index, eventId: result.eventId! }] : []));
  const lost = results.filter(({ status }) => status >= 500).length;
  if (lost > 0 && !isShown) {
    const message = `${lost} of ${results.length} events may not be recorded; repeat them with their idempotency keys`;
    throw new ServiceError('unavailable', message);
  }
  const refused = results.flatMap(({ event: _event, error, ...result }, index) =>
    error === undefined ? [] : [{ index, error, ...result }],
  );
  const body = { accepted, refused, ...(held.length > 0 && { held }), ...(isShown && { results }) };
  return { status: 202, body };
}

interface PreparedBatch {
  rules: Rules;
  prepared: PreparedEvent[];
}

/**
 * Prepares all items, under newer rules if these refuse one.
 * @throws ServiceError `invalid`, which names every invalid item by its index
 */
async function prepareAll(service: Service, rules: Rules, items: BatchMetricEvent[]): Promise<PreparedBatch> {
  const prepared: PreparedEvent[] = [];
  const faults: string[] = [];
  for (const [index, item] of items.entries()) {
    try {
      prepared.push(prepareEvent(rules, item.key, item, item.idempotencyKey ?? null, newId));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push(`[${index}]: ${error.message}`);
    }
  }
  if (faults.length === 0) return { rules, prepared };
  const newer = await service.rulesStore.loadNewer(rules);
  newer?.assertSameId(rules);
  if (newer !== null) return prepareAll(service, newer, items);
  throw new ServiceError('invalid', faults.join('; '));
}

/**
 * Indices of the items, sorted by user; the items of a user stay in order. Then the script reads and writes a
 * user once for consecutive events.
 */
function userByUser(prepared: PreparedEvent[]): number[] {
  const order = Array.from(prepared.keys());
  return order.sort((a, b) => compareUsers(prepared[a]!, prepared[b]!) || a - b);
}

function compareUsers(a: PreparedEvent, b: PreparedEvent): number {
  return a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : 0;
}

function recordItem(
  service: Service,
  rules: Rules,
  item: BatchMetricEvent,
  prepared: PreparedEvent,
  isShown: boolean,
): Promise<BatchEventResult> {
  const { metrics } = service;
  return new Promise((resolve) => {
    const fail = (thrown: unknown): void => {
      metrics.refusedEvents.inc();
      const error = asServiceError(thrown);
      const isMeant = error instanceof ServiceError;
      if (!isMeant) service.log.error({ err: thrown }, 'event of a batch failed');
      if (isMeant) resolve({ status: error.status, error: error.message, ...error.details });
      else resolve({ status: 500, error: 'Internal error' });
    };
    const idempotencyKey = item.idempotencyKey ?? null;
    const job: EventJob = {
      metricKey: item.key,
      request: item,
      idempotencyKey,
      fail,
      done: (outcome, event, applied, now) => {
        if (outcome.status === 'held') {
          holdEvent(service, applied, outcome, event, item, now).then(
            (eventId) => resolve({ status: 202, held: true, eventId }),
            fail,
          );
          return;
        }
        if (outcome.status !== 'recorded' && outcome.status !== 'replayed') {
          fail(eventRefusal(outcome, event, applied, 'backend', metrics));
          return;
        }
        const isReplay = outcome.status === 'replayed';
        countAnswer(metrics, outcome, event);
        const status = isReplay ? 202 : 201;
        if (!isShown) resolve({ status });
        else {
          const json = eventResponseJson(outcome, event, applied, now, idempotencyKey);
          resolve({ status, event: JSON.parse(json) as EventResponse });
        }
      },
    };
    addEvent(service, rules, job, prepared);
  });
}
