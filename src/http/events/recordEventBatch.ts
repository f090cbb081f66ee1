import { ServiceError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { CALL_COST_US_MAX } from '../../base/limits.ts';
import { type BatchEventResult, BatchMetricEvent, type RecordEventBatch } from '../../contract/event.ts';
import { unknownFields } from '../../contract/unknownFields.ts';
import { addEvent } from '../../engine/events/addEvent.ts';
import { countWithin } from '../../engine/events/callBudget.ts';
import { groupByUser } from '../../engine/events/scriptCall.ts';
import { type PreparedEvent, prepareEvent } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import type { OperationRequest, OperationResponse } from '../request/endpoint.ts';
import type { Service } from '../request/service.ts';
import { BatchJob } from './batchJob.ts';
import { BatchResults } from './batchResults.ts';

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
