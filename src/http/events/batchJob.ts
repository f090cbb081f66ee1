import { ServiceError } from '../../base/errors.ts';
import {
  type BatchEvent,
  type BatchEventResult,
  type EventResponse,
  isMetricsEvent,
  type RecordEventBatch,
} from '../../contract/event.ts';
import type { EventJob, RecordedMetric } from '../../engine/calls/cellQueue.ts';
import { eventRefusal } from '../../engine/events/eventRefusals.ts';
import { asServiceError } from '../../engine/stores/availability.ts';
import type { Outcome } from '../../redis/decoding/outcome.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import type { OperationResponse } from '../request/endpoint.ts';
import type { Service } from '../request/service.ts';
import { countAnswer } from './countAnswer.ts';
import { eventResponseJson } from './eventAnswer.ts';
import { holdEvent } from './holdEvent.ts';
import { metricsJson } from './recordMetricsEvent.ts';

/** An item of a batch on its way. Thousands may wait at once, so it is one object without closures. */
export class BatchJob implements EventJob {
  readonly userId: string;
  readonly metricKey: string | null;
  readonly request: BatchEvent;
  readonly idempotencyKey: string | null;
  readonly prepared: PreparedEvent;
  readonly #service: Service;
  readonly #results: BatchResults;
  readonly #index: number;
  readonly #isShown: boolean;

  /** @param isShown whether the result contains the response of the event */
  constructor(
    service: Service,
    results: BatchResults,
    index: number,
    item: BatchEvent,
    prepared: PreparedEvent,
    isShown: boolean,
  ) {
    this.#service = service;
    this.#results = results;
    this.#index = index;
    this.#isShown = isShown;
    this.userId = prepared.userId;
    this.metricKey = isMetricsEvent(item) ? null : item.key;
    this.request = item;
    this.idempotencyKey = item.idempotencyKey ?? null;
    this.prepared = prepared;
  }

  done(outcome: Outcome, event: PreparedEvent, rules: Rules, now: number): void {
    const { metrics } = this.#service;
    switch (outcome.status) {
      case 'recorded':
      case 'replayed': {
        if (this.metricKey === null) {
          this.doneAll([{ outcome, event }], rules, now);
          return;
        }
        countAnswer(metrics, outcome, event);
        const status = outcome.status === 'replayed' ? 202 : 201;
        if (!this.#isShown) {
          this.#results.add(this.#index, { status });
          return;
        }
        const json = eventResponseJson(outcome, event, rules, now, this.idempotencyKey);
        this.#results.add(this.#index, { status, event: JSON.parse(json) as EventResponse });
        return;
      }
      case 'held':
        holdEvent(this.#service, rules, outcome, event, this.request, now).then(
          (eventId) => this.#results.add(this.#index, { status: 202, held: true, eventId }),
          (error) => this.fail(error),
        );
        return;
      default:
        this.fail(eventRefusal(outcome, event, rules, 'backend', metrics));
    }
  }

  doneAll(recorded: readonly RecordedMetric[], rules: Rules, now: number): void {
    for (const { outcome, event } of recorded) countAnswer(this.#service.metrics, outcome, event);
    const status = recorded[0]!.outcome.status === 'replayed' ? 202 : 201;
    const metrics = this.#isShown && { metrics: JSON.parse(metricsJson(recorded, rules, now)) };
    this.#results.add(this.#index, { status, ...metrics });
  }

  fail(thrown: unknown): void {
    const { metrics, log } = this.#service;
    metrics.refusedEvents.inc();
    const error = asServiceError(thrown);
    if (error instanceof ServiceError) {
      this.#results.add(this.#index, { status: error.status, error: error.message, ...error.details });
    } else {
      log.error({ err: thrown }, 'event of a batch failed');
      this.#results.add(this.#index, { status: 500, error: 'Internal error' });
    }
  }
}

/** The results of the items of a batch, which come part by part. */
export class BatchResults {
  readonly #results: BatchEventResult[];
  /** Results of the present part that are awaited. */
  #left = 0;
  #complete = (): void => {};

  constructor(items: number) {
    this.#results = new Array<BatchEventResult>(items);
  }

  /** Begins a part of `count` items. The promise resolves with the last result of the part. */
  next(count: number): Promise<void> {
    this.#left = count;
    return new Promise((resolve) => {
      this.#complete = resolve;
    });
  }

  add(index: number, result: BatchEventResult): void {
    this.#results[index] = result;
    this.#left--;
    if (this.#left === 0) this.#complete();
  }

  /**
   * The response, once all results are here.
   * @param isShown whether it contains the result of each item
   * @throws ServiceError `unavailable` if events may be lost and the results are not shown
   */
  response(isShown: boolean): OperationResponse<typeof RecordEventBatch> {
    const results = this.#results;
    const accepted = results.filter(({ error, held }) => error === undefined && !held).length;
    const held = results.flatMap((result, index) =>
      result.held ? [{ index, eventId: result.eventId! }] : [],
    );
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
}
