import { DateTime } from 'luxon';

const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Milliseconds since 1970 of an ISO 8601 instant such as 2026-12-24T18:00:00Z. null for other text, such as
 * 30 February.
 */
export function parseInstant(text: string): number | null {
  const instant = WITH_ZONE.test(text) ? DateTime.fromISO(text).toMillis() : Number.NaN;
  return Number.isNaN(instant) ? null : instant;
}
