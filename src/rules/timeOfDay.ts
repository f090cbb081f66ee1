/** Seconds of the day on a local clock. */

const DAY_SECONDS = 86_400;

/** What a clock shows that is `offsetMs` ahead of UTC at an instant (ms). */
export const secondAt = (instant: number, offsetMs: number): number =>
  Math.floor((instant + offsetMs) / 1000) % DAY_SECONDS;

/** Whether a second is in [from, to), which goes over midnight if `from` is later. */
export const isBetween = (second: number, from: number, to: number): boolean =>
  from <= to ? second >= from && second < to : second >= from || second < to;
