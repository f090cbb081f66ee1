/** The rules of bench/config.yaml, as a program that knows no configuration has them. */
export const POINTS_PER_EVENT = 10;
export const POINTS_PER_WEEK = 50;

/** Achievements by the total that completes them. */
export const TOTALS: Readonly<Record<string, number>> = { first: 1, ten: 10, hundred: 100, thousand: 1_000 };
export const WEEK = 7;

const LEVELS = [
  ['gold', 1_000],
  ['silver', 200],
  ['bronze', 50],
] as const;

/** The highest level that the points reach; null below the first. */
export const levelOf = (points: number): string | null =>
  LEVELS.find(([, needed]) => points >= needed)?.[0] ?? null;

/** Days since 1970 of the user's calendar. */
export function dayIn(timeZone: string, now: number): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone });
    formats.set(timeZone, format);
  }
  return Date.parse(`${format.format(now)}T00:00:00Z`) / 86_400_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Monday of the week of a day: the name of the weekly leaderboard. */
export const weekOf = (day: number): number => day - ((day + 3) % 7);
