import { dayOfDate, monthOfDay, periodDays, weekOfDay } from './calendar.ts';
import type { Frequency } from './config.ts';

/** Local days since 1970, both inclusive. */
export interface DaySpan {
  from: number;
  to: number;
}

/**
 * When a user was active in a year, and when most. Of a week at the turn of the year, only the days in the
 * year count.
 */
export interface Activity {
  daysActive: number;
  weeksActive: number;
  monthsActive: number;
  mostActiveDay: DaySpan;
  mostActiveWeek: DaySpan;
  mostActiveMonth: DaySpan;
}

/** @param year 1 to 9999 */
export function yearSpan(year: number): DaySpan {
  const digits = String(year).padStart(4, '0');
  return { from: dayOfDate(`${digits}-01-01`), to: dayOfDate(`${digits}-12-31`) };
}

/**
 * Finds the periods with the most events: the earliest of equals, or the first of the year if there were no
 * events.
 * @param events number of events by day, for days with events
 */
export function findActivity(events: ReadonlyMap<number, number>, year: DaySpan): Activity {
  const countBy = (periodOf: (day: number) => number): Map<number, number> => {
    const counts = new Map<number, number>();
    for (const [day, count] of events) counts.set(periodOf(day), (counts.get(periodOf(day)) ?? 0) + count);
    return counts;
  };
  const weeks = countBy(weekOfDay);
  const months = countBy(monthOfDay);
  const spanOf = (frequency: Frequency, period: number): DaySpan => {
    const { start, end } = periodDays(frequency, period);
    return { from: Math.max(start, year.from), to: Math.min(end, year.to) };
  };
  return {
    daysActive: events.size,
    weeksActive: weeks.size,
    monthsActive: months.size,
    mostActiveDay: spanOf('daily', mostOf(events) ?? year.from),
    mostActiveWeek: spanOf('weekly', mostOf(weeks) ?? weekOfDay(year.from)),
    mostActiveMonth: spanOf('monthly', mostOf(months) ?? monthOfDay(year.from)),
  };
}

function mostOf(counts: ReadonlyMap<number, number>): number | null {
  let most: number | null = null;
  for (const [period, count] of counts) {
    const highest = most === null ? 0 : counts.get(most)!;
    if (count > highest || (count === highest && most !== null && period < most)) most = period;
  }
  return most;
}
