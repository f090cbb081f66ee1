import { eventIdAt } from '../../base/ids.ts';
import { keySliceAt, keySliceMs } from '../keySlices.ts';
import type { PreparedEvent } from './prepare.ts';
import type { Rules } from './rules.ts';

/**
 * The id of an event that a call at `now` (ms) records. Under a window, a key names a new event after each
 * window; two uses of a key are never in one slice of time.
 */
export function newEventId(rules: Rules, event: PreparedEvent, now: number): string {
  const { settings } = rules.config;
  const isTimed = event.fingerprint !== false && settings.idempotencyWindowSeconds !== null;
  return isTimed ? eventIdAt(event.eventId, keySliceAt(now, keySliceMs(settings))) : event.eventId;
}

/**
 * The id of the event that was recorded when the key was used.
 * @param usedAt the instant in the id (Outcome)
 */
export function replayedEventId(event: PreparedEvent, usedAt: number | null): string {
  return usedAt === null ? event.eventId : eventIdAt(event.eventId, usedAt);
}
