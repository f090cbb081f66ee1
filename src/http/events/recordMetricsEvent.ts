import { MetricsEventRequest, RecordMetricsEvent } from '../../contract/event.ts';
import type { RecordedMetric } from '../../engine/calls/cellQueue.ts';
import type { RecordedEvent } from '../../redis/decoding/outcome.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { countAnswer } from './countAnswer.ts';
import { eventResponseJson, idempotencyJson, minimalResponseJson } from './eventAnswer.ts';
import { ReceivedJob, receiveEvent } from './receiveEvent.ts';

/** POST /v1/events: one event that counts for several metrics, all or none. */
export const recordMetricsEvent = receiveEvent<MetricsEventRequest>({
  operation: RecordMetricsEvent,
  schema: MetricsEventRequest,
  metricKeyOf: () => null,
  createJob: (received) => new MetricsEventJob(received, MetricsEventRequest),
});

class MetricsEventJob extends ReceivedJob<MetricsEventRequest> {
  protected answer(outcome: RecordedEvent, event: PreparedEvent, rules: Rules, now: number): void {
    this.doneAll([{ outcome, event }], rules, now);
  }

  doneAll(recorded: readonly RecordedMetric[], rules: Rules, now: number): void {
    for (const { outcome, event } of recorded) countAnswer(this.service.metrics, outcome, event);
    const isReplay = recorded[0]!.outcome.status === 'replayed';
    const metrics = this.isMinimal
      ? joined(recorded, ({ outcome, event }) => minimalResponseJson(outcome, event, rules, now))
      : metricsJson(recorded, rules, now);
    const idempotency = this.isMinimal ? '' : idempotencyJson(this.idempotencyKey, isReplay);
    this.send(isReplay ? 202 : 201, `{"metrics":${metrics}${idempotency}}`);
  }
}

/** What an event of each metric alone would have been answered, by key of the metric. */
export const metricsJson = (recorded: readonly RecordedMetric[], rules: Rules, now: number): string =>
  joined(recorded, ({ outcome, event }) => eventResponseJson(outcome, event, rules, now, null));

const joined = (recorded: readonly RecordedMetric[], json: (metric: RecordedMetric) => string): string =>
  `{${recorded.map((each) => `${JSON.stringify(each.event.metric.key)}:${json(each)}`).join(',')}}`;
