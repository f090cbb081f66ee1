import { DISTINCT_VALUES_MAX } from '../contract/conditions/condition.ts';
import { type LocalTime, periodDays, periodOf, periodOfDay } from './calendar.ts';
import type { Counting } from './counting.ts';
import { frequencyOf } from './periods.ts';

/** Counters that remember more than a total (lua/includes/countMarked.lua). */

/** What the state of a user remembers of a counter in a period; the period is 0 for ever. */
export interface CounterMark {
  period: number;
  total: number;
  /** Of days: the last one, and bits. Of different values: their hashes. */
  memory: readonly number[] | false;
}

/**
 * What is remembered: periods, as many as a journey may go back to; days up to the last one, at least those
 * of a month; different values.
 */
export const KEPT_MARKS = { periods: 3, days: 31, values: DISTINCT_VALUES_MAX } as const;

/** Whether an undo lowers what is counted. */
export const mayFall = ({ aggregate }: Counting): boolean =>
  aggregate === null || typeof aggregate === 'string' || 'sum' in aggregate;

/** Whether only the history knows what an event of a local day changes (lua/includes/forgottenMark.lua). */
export function isForgotten(
  { per = null, aggregate }: Counting,
  marks: readonly CounterMark[],
  day: number,
): boolean {
  const [latest] = marks;
  if (latest === undefined) return false;
  if (per !== null) return periodOfDay(frequencyOf(per), day) <= latest.period - KEPT_MARKS.periods;
  return aggregate === 'days' && latest.memory !== false && day <= latest.memory[0]! - KEPT_MARKS.days;
}

/** The local days whose events count together with one of a day, of a counter that may have forgotten it. */
export function daysTogether({ per = null }: Counting, day: number): { start: number; end: number } {
  if (per === null) return { start: day, end: day };
  const frequency = frequencyOf(per);
  return periodDays(frequency, periodOfDay(frequency, day));
}

/** The total now: of a counter within periods, that of the present one. */
export function totalNow(
  { per = null }: Counting,
  total: number,
  marks: readonly CounterMark[],
  today: () => LocalTime,
): number {
  if (per === null) return total;
  const present = periodOf(today(), frequencyOf(per));
  return marks.find(({ period }) => period === present)?.total ?? 0;
}
