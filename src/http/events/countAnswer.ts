import type { Metrics } from '../../base/metrics.ts';
import type { RecordedEvent } from '../../redis/decoding/outcome.ts';
import type { PreparedEvent } from '../../rules/inForce/prepare.ts';

/** Counts an event that was recorded or replayed, and the guard that reduced it. */
export function countAnswer(metrics: Metrics, outcome: RecordedEvent, { metric }: PreparedEvent): void {
  if (outcome.status === 'replayed') {
    metrics.replayedEvents.inc();
    return;
  }
  metrics.recordedEvents.inc();
  if (outcome.clamped)
    metrics.guardedEvents.inc({ metric: metric.key, guard: outcome.clamped.by, action: 'clamp' });
}
