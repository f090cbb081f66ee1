import { ServiceError } from '../../base/errors.ts';
import type { HeldEventConditions } from '../../contract/heldEvents.ts';
import type { HeldEventFilter, HeldEventPageRange } from '../../db/history/heldEventRows.ts';
import type { Rules } from '../../rules/rules.ts';
import { readCursor, writeCursor } from '../request/cursor.ts';

type Position = [heldAt: number, eventId: string];

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) &&
  value.length === 2 &&
  Number.isSafeInteger(value[0]) &&
  typeof value[1] === 'string' &&
  UUID.test(value[1]);

/** @throws ServiceError `notFound` without such a metric */
export function filterOf(
  rules: Rules,
  status: HeldEventFilter['status'],
  asked: HeldEventConditions,
): HeldEventFilter {
  const { user = null, guard = null, minValue = null, maxValue = null } = asked;
  const metric = asked.metric === undefined ? null : rules.metricByKey.get(asked.metric);
  if (metric === undefined) throw new ServiceError('notFound', `Metric ${asked.metric} does not exist`);
  const instant = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
  return {
    status,
    userId: user,
    metric: metric?.no ?? null,
    guard,
    since: instant(asked.since),
    until: instant(asked.until),
    minValue,
    maxValue,
  };
}

/** @throws ServiceError `invalid` if the cursor is not one of `cursorAfter` */
export function rangeOf(cursor: string | undefined, limit: number): HeldEventPageRange {
  const last = readCursor(cursor, isPosition);
  return { after: last && { heldAt: new Date(last[0]), eventId: last[1] }, limit };
}

/** Where the next page begins; null if there is none. */
export function cursorAfter(
  page: readonly { heldAt: Date; eventId: string }[],
  limit: number,
): string | null {
  const last = page.length < limit ? undefined : page.at(-1);
  return writeCursor(last === undefined ? null : [last.heldAt.getTime(), last.eventId]);
}
