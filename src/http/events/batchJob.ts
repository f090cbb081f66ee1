import { ServiceError } from '../../base/errors.ts';
import type { BatchMetricEvent, EventResponse } from '../../contract/event.ts';
import { asServiceError } from '../../engine/availability.ts';
import type { EventJob } from '../../engine/events/cellQueue.ts';
import { eventRefusal } from '../../engine/events/eventRefusals.ts';
import type { Outcome } from '../../redis/scripts/outcome.ts';
import type { PreparedEvent } from '../../rules/prepare.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Service } from '../request/service.ts';
import type { BatchResults } from './batchResults.ts';
import { countAnswer } from './countAnswer.ts';
import { holdEvent } from './holdEvent.ts';
import { eventResponseJson } from './recordEvents.ts';

/** An item of a batch on its way. Thousands may wait at once, so it is one object without closures. */
export class BatchJob implements EventJob {
  readonly userId: string;
  readonly metricKey: string;
  readonly request: BatchMetricEvent;
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
    item: BatchMetricEvent,
    prepared: PreparedEvent,
    isShown: boolean,
  ) {
    this.#service = service;
    this.#results = results;
    this.#index = index;
    this.#isShown = isShown;
    this.userId = prepared.userId;
    this.metricKey = item.key;
    this.request = item;
    this.idempotencyKey = item.idempotencyKey ?? null;
    this.prepared = prepared;
  }

  done(outcome: Outcome, event: PreparedEvent, rules: Rules, now: number): void {
    const { metrics } = this.#service;
    switch (outcome.status) {
      case 'recorded':
      case 'replayed': {
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
