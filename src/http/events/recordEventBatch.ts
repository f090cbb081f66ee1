import { ERROR_STATUS, ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { BATCH_EVENTS_MAX, CALL_COST_US_MAX } from '../../base/limits.ts';
import {
  type BatchEvent,
  type BatchEventResult,
  BatchMetricEvent,
  BatchMetricsEvent,
  isMetricsEvent,
  RecordEventBatch,
} from '../../contract/event.ts';
import { countWithin } from '../../engine/calls/callBudget.ts';
import { groupByUser } from '../../engine/calls/scriptCall.ts';
import { addEvent } from '../../engine/events/addEvent.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import { prepareSent, type SentEvent } from '../../rules/inForce/prepareMetrics.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { endpoint } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';
import type { Service } from '../request/service.ts';
import { faultsOfUnknown } from '../request/unknownNames.ts';
import { BatchJob, BatchResults } from './batchJob.ts';

/** Up to 1,000 events, in order for each user. */
export const recordEventBatch = endpoint(RecordEventBatch, ({ service, rules: known, query, body }) => {
  return service.batches.run(async () => {
    const items = body.map(withoutSignUp);
    const { rules, prepared } = await prepareAll(service, known, items);
    const results = new BatchResults(body.length);
    const jobs: BatchJob[] = [];
    for (const [index, event] of prepared.entries()) {
      const item = items[index]!;
      const refusal = query.strict ? refusalOfUnknown(body[index]!) : null;
      if (refusal !== null) results.add(index, refusal);
      else jobs.push(new BatchJob(service, results, index, item, event, query.results));
    }
    // A script reads and writes a user once for consecutive events.
    const order = groupByUser(jobs);
    // One part after the other, to keep the order of each user's events. A part is not more than one call may
    // cost, so that events of others come between.
    for (let at = 0, count = 0; at < order.length; at += count) {
      count = countWithin(order.length - at, (i) => order[at + i]!.prepared.costUs, CALL_COST_US_MAX);
      const answered = results.next(count);
      for (const job of order.slice(at, at + count)) addEvent(service, rules, job, job.prepared);
      await answered;
    }
    return results.response(query.results);
  });
});

/** A field that an item does not have is ignored, although a single event takes it. */
function withoutSignUp(item: BatchEvent): BatchEvent {
  if (!('signUpDate' in item.user)) return item;
  const { signUpDate: _ignored, ...user } = item.user;
  return { ...item, user };
}

/** The result of an item with unknown fields; null if all are known. */
function refusalOfUnknown(item: BatchEvent): BatchEventResult | null {
  const faults = faultsOfUnknown(isMetricsEvent(item) ? BatchMetricsEvent : BatchMetricEvent, item);
  return faults.length === 0 ? null : { status: ERROR_STATUS.invalid, error: faults.join('; ') };
}

/**
 * Prepares all items, under newer rules if these refuse one.
 * @throws ServiceError `invalid`, which names every invalid item by its index
 */
async function prepareAll(
  service: Service,
  rules: Rules,
  items: BatchEvent[],
): Promise<{ rules: Rules; prepared: PreparedEvent[] }> {
  const prepared: PreparedEvent[] = [];
  const faults: string[] = [];
  for (const [index, item] of items.entries()) {
    try {
      prepared.push(prepareSent(rules, sentEventOf(item), newId));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      faults.push(`[${index}]: ${error.message}`);
    }
  }
  const count = prepared.reduce((sum, { others }) => sum + 1 + others.length, 0);
  if (count > BATCH_EVENTS_MAX) throw invalid(`a batch must not have more than ${BATCH_EVENTS_MAX} metrics`);
  if (faults.length === 0) return { rules, prepared };
  const newer = await service.rulesStore.loadNewer(rules);
  newer?.assertSameId(rules);
  if (newer !== null) return prepareAll(service, newer, items);
  throw invalid(faults.join('; '));
}

function sentEventOf(item: BatchEvent): SentEvent {
  const idempotencyKey = item.idempotencyKey ?? null;
  return { metricKey: isMetricsEvent(item) ? null : item.key, request: item, idempotencyKey };
}
