import type { EventRequest, MetricsEventRequest } from '../../contract/event.ts';
import type { PastEventLine } from '../../contract/imports.ts';
import { type PreparedEvent, prepareEvent, unknownMetric } from './prepare.ts';
import type { Rules } from './rules.ts';

/** An event as it was sent: of one metric, or of several. */
export interface SentEvent {
  /** null if the event counts for several metrics. */
  readonly metricKey: string | null;
  readonly request: EventRequest | MetricsEventRequest;
  readonly idempotencyKey: string | null;
}

/** The event of a line of a file, without its instant. */
export function sentLine(line: PastEventLine): SentEvent {
  const idempotencyKey = line.idempotencyKey ?? null;
  if ('metrics' in line) {
    const { timestamp: _timestamp, ...request } = line;
    return { metricKey: null, request, idempotencyKey };
  }
  const { timestamp: _timestamp, metric, ...request } = line;
  return { metricKey: metric, request, idempotencyKey };
}

/**
 * Checks an event against the rules and converts it to the form of the scripts. One that counts for several
 * metrics becomes an event for each, in the order of the configuration.
 * @throws ServiceError `notFound` for an unknown metric, `invalid` for unknown attributes and time zones
 */
export function prepareSent(
  rules: Rules,
  { metricKey, request, idempotencyKey }: SentEvent,
  createId: () => string,
): PreparedEvent {
  return metricKey === null
    ? prepareMetrics(rules, request as MetricsEventRequest, idempotencyKey, createId)
    : prepareEvent(rules, metricKey, request as EventRequest, idempotencyKey, createId);
}

function prepareMetrics(
  rules: Rules,
  request: MetricsEventRequest,
  idempotencyKey: string | null,
  createId: () => string,
): PreparedEvent {
  const { metrics, ...shared } = request;
  for (const key in metrics) if (!rules.metricByKey.has(key)) throw unknownMetric(rules, key);
  const events: PreparedEvent[] = [];
  for (const { key } of rules.config.metrics) {
    if (!Object.hasOwn(metrics, key)) continue;
    events.push(prepareEvent(rules, key, { ...shared, value: metrics[key]! }, idempotencyKey, createId));
  }
  const [first, ...others] = events as [PreparedEvent, ...PreparedEvent[]];
  return { ...first, costUs: events.reduce((sum, { costUs }) => sum + costUs, 0), others };
}

/** All events of an event, one for each of its metrics. */
export const eventsOf = (event: PreparedEvent): PreparedEvent[] => [event, ...event.others];
