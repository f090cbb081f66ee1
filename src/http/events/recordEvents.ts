import { EventRequest, RecordEvents } from '../../contract/event.ts';
import type { RecordedEvent } from '../../redis/decoding/outcome.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';
import type { Rules } from '../../rules/inForce/rules.ts';
import { countAnswer } from './countAnswer.ts';
import { eventResponseJson, minimalResponseJson } from './eventAnswer.ts';
import { metricInPath, ReceivedJob, receiveEvent } from './receiveEvent.ts';

/** POST /v1/metrics/{key}/event */
export const recordEvents = receiveEvent<EventRequest>({
  operation: RecordEvents,
  schema: EventRequest,
  metricKeyOf: metricInPath,
  createJob: (received) => new RecordEventsJob(received, EventRequest),
});

class RecordEventsJob extends ReceivedJob<EventRequest> {
  protected answer(outcome: RecordedEvent, event: PreparedEvent, rules: Rules, now: number): void {
    countAnswer(this.service.metrics, outcome, event);
    const json = this.isMinimal
      ? minimalResponseJson(outcome, event, rules, now)
      : eventResponseJson(outcome, event, rules, now, this.idempotencyKey);
    this.send(outcome.status === 'replayed' ? 202 : 201, json);
  }
}
