import { monthOfDay, periodDays, weekOfDay } from './calendar.ts';

/** The days on which a user was active: one bit a day from `firstDay` (an ordinal) on, as text of 0 and 1. */
export interface ActiveDays {
  firstDay: number;
  bits: string;
}

export const isActive = ({ firstDay, bits }: ActiveDays, day: number): boolean =>
  bits[day - firstDay] === '1';

function isActiveBetween(days: ActiveDays, from: number, to: number, except: number): boolean {
  const last = Math.min(to, lastDay(days));
  for (let day = Math.max(from, days.firstDay); day <= last; day++) {
    if (day !== except && isActive(days, day)) return true;
  }
  return false;
}

/** The days with one more of them, which may be active already. */
export function withDay({ firstDay, bits }: ActiveDays, day: number): ActiveDays {
  if (day < firstDay)
    return { firstDay: day, bits: bits.padStart(firstDay - day + bits.length, '0').replace(/^0/, '1') };
  const at = day - firstDay;
  return { firstDay, bits: `${bits.slice(0, at).padEnd(at, '0')}1${bits.slice(at + 1)}` };
}

const lastDay = ({ firstDay, bits }: ActiveDays): number => firstDay + bits.length - 1;

/** Whether `day` is the only active day of its week (Monday first), and of its month. */
export function isFirstOf(days: ActiveDays, day: number): { week: boolean; month: boolean } {
  const week = periodDays('weekly', weekOfDay(day));
  const month = periodDays('monthly', monthOfDay(day));
  return {
    week: !isActiveBetween(days, week.start, week.end, day),
    month: !isActiveBetween(days, month.start, month.end, day),
  };
}

/**
 * The days on which a window of `length` days that ends there holds `day` and no other active day: from
 * `start` up to but not including `end`, or null.
 */
export function windowsGained(
  days: ActiveDays,
  day: number,
  length: number,
): { start: number; end: number } | null {
  let start = day;
  const first = Math.max(day - length + 1, days.firstDay);
  for (let before = day - 1; before >= first; before--) {
    if (isActive(days, before)) {
      start = before + length;
      break;
    }
  }
  let end = day + length;
  const last = Math.min(day + length - 1, lastDay(days));
  for (let after = day + 1; after <= last; after++) {
    if (isActive(days, after)) {
      end = after;
      break;
    }
  }
  return start < end ? { start, end } : null;
}

/** The weeks (ordinals) with an active day, in order. */
export function activeWeeks({ firstDay, bits }: ActiveDays): number[] {
  const weeks: number[] = [];
  for (let at = bits.indexOf('1'); at !== -1; at = bits.indexOf('1', at + 1)) {
    const week = weekOfDay(firstDay + at);
    if (weeks.at(-1) !== week) weeks.push(week);
  }
  return weeks;
}

/** Active days from one day to another, both inclusive. */
export function countActive(days: ActiveDays, from: number, to: number): number {
  let count = 0;
  for (let day = from; day <= to; day++) if (isActive(days, day)) count++;
  return count;
}
