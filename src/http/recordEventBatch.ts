import { ServiceError } from '../base/errors.ts';
import { BATCHES_AT_ONCE_MAX, BATCHES_WAITING_MAX, CALL_EVENTS_MAX } from '../base/limits.ts';
import { Turns } from '../base/turns.ts';
import type { BatchEventResult, BatchMetricEvent, EventResponse, RecordEventBatch } from '../contract/event.ts';
import { asServiceError } from '../redis/availability.ts';
import { prepareEvent } from '../rules/prepare.ts';
import type { Rules } from '../rules/rules.ts';
import type { Answer, Call } from './endpoint.ts';
import { eventResponseJson, refusalOf } from './recordEvents.ts';
import type { Service } from './service.ts';

const turns = new Turns(BATCHES_AT_ONCE_MAX, BATCHES_WAITING_MAX);

/** POST /admin/v1/metrics/events?results=: up to 1,000 events (spec: Record a metric event, each), in order for each user. */
export function recordEventBatch({
  service,
  rules: known,
  query,
  body,
}: Call<typeof RecordEventBatch>): Promise<Answer<typeof RecordEventBatch>> {
  return turns.run(async () => {
    const rules = await rulesThatTake(service, known, body);
    const results: BatchEventResult[] = [];
    // One part after the other: what a user does in a later one comes after what they did in an earlier one.
    for (let at = 0; at < body.length; at += CALL_EVENTS_MAX) {
      const part = body.slice(at, at + CALL_EVENTS_MAX);
      results.push(...(await Promise.all(part.map((item) => recordItem(service, rules, item, query.results)))));
    }
    const accepted = results.filter(({ error }) => error === undefined).length;
    const lost = results.filter(({ status }) => status >= 500).length;
    if (lost > 0 && !query.results) {
      const message = `${lost} of ${results.length} events may not be recorded; repeat them with their idempotency keys`;
      throw new ServiceError('unavailable', message);
    }
    return { status: 202, body: query.results ? { accepted, results } : { accepted } };
  });
}

/**
 * The rules, newer ones if need be, that every item is valid under.
 * @throws ServiceError `invalid` that names every item at fault by its index
 */
async function rulesThatTake(service: Service, rules: Rules, items: BatchMetricEvent[]): Promise<Rules> {
  const faults = faultsOf(service, rules, items);
  if (faults.length === 0) return rules;
  const newer = await service.store.loadNewer(rules);
  if (newer !== null) return rulesThatTake(service, newer, items);
  throw new ServiceError('invalid', faults.join('; '));
}

function faultsOf({ shards }: Service, rules: Rules, items: BatchMetricEvent[]): string[] {
  return items.flatMap((item, index) => {
    try {
      prepareEvent(rules, shards, item.key, item, item.idempotencyKey ?? null);
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return [`[${index}]: ${error.message}`];
    }
  });
}

function recordItem(
  service: Service,
  rules: Rules,
  item: BatchMetricEvent,
  isShown: boolean,
): Promise<BatchEventResult> {
  const { metrics } = service;
  return new Promise((resolve) => {
    const fail = (thrown: unknown): void => {
      metrics.refusedEvents.inc();
      const error = asServiceError(thrown);
      const isMeant = error instanceof ServiceError;
      if (!isMeant) service.log.error({ err: thrown }, 'event of a batch failed');
      resolve({ status: isMeant ? error.status : 500, error: isMeant ? error.message : 'Internal error' });
    };
    const idempotencyKey = item.idempotencyKey ?? null;
    service.queue.add(rules, {
      metricKey: item.key,
      request: item,
      idempotencyKey,
      fail,
      done: (outcome, event, applied, now) => {
        if (outcome.status !== 'recorded' && outcome.status !== 'replayed') {
          fail(refusalOf(outcome, event.userId, applied));
          return;
        }
        const isReplay = outcome.status === 'replayed';
        (isReplay ? metrics.replayedEvents : metrics.recordedEvents).inc();
        const status = isReplay ? 202 : 201;
        if (!isShown) resolve({ status });
        else {
          const json = eventResponseJson(outcome, event, applied, now, idempotencyKey);
          resolve({ status, event: JSON.parse(json) as EventResponse });
        }
      },
    });
  });
}
