/** From when on the service counts as unwell, and what is kept of it. */

/** A relay writes what happened within a second; from here on, people notice that the history is behind. */
export const LAG_SECONDS_MIN = 5;
/** Time between two looks of a worker at the health. */
export const HEALTH_LOOK_MS = 10_000;
/** Shorter trouble is not recorded. Workers that look at other moments record the same outage. */
export const OUTAGE_MS_MIN = 60_000;
/** An outage that no worker has seen for longer is over. */
export const OUTAGE_SEEN_MS_MAX = 3 * HEALTH_LOOK_MS;
/** Outages that are kept, and outages that a worker remembers until PostgreSQL is back. */
export const OUTAGES_MAX = 100;
export const OUTAGES_UNWRITTEN_MAX = 10;

if (OUTAGE_SEEN_MS_MAX > OUTAGE_MS_MIN)
  throw new Error('OUTAGE_SEEN_MS_MAX must not exceed OUTAGE_MS_MIN: an outage that goes on is one outage');
