import type { Rows, Statement } from '../rows.ts';
import { EVENTS_OF_USER, isTakenBack } from './userEvents.ts';
import type { UserKey } from './userMap.ts';

const PEAK: Statement = {
  name: 'peak without an event',
  text: `select sum(value::numeric)::float8 as sum, max(earned)::float8 as highest from (
      select value, sum(value::numeric) filter (where event_id <> $5 and not ${isTakenBack('event')})
        over (order by sequence) as earned
      from (select * from ${EVENTS_OF_USER}) as event where metric = $3 and coalesce(attributes, '{}') @> $4
    ) as counted`,
};

/** Events that a counter adds up, and one that does not count. */
interface CountedEvents {
  metric: number;
  /** Values of event attributes, by number. */
  attributes: Record<number, string>;
  without: string;
  /** The value of the counter now. */
  total: number;
}

/**
 * The highest value that a user's counter would have had without an event and without those that were undone
 * with their points, in the order of arrival.
 */
export async function readPeak(
  rows: Rows,
  { tenant, userId }: UserKey,
  { metric, attributes, without, total }: CountedEvents,
): Promise<number> {
  const [found] = await rows<{ sum: number | null; highest: number | null }>(PEAK, [
    tenant,
    userId,
    metric,
    JSON.stringify(attributes),
    without,
  ]);
  const { sum, highest } = found!;
  // What the counter had before the events that are still kept.
  const before = total - (sum ?? 0);
  return Math.max(before, before + (highest ?? 0), 0);
}
