const DAY_MS = 86_400_000;

/** When the runs of a leaderboard begin and end, as laurel answers it. */
interface Runs {
  start: string;
  end: string | null;
  runUnit: 'day' | 'month' | 'year' | null;
  runInterval: number | null;
  timeZone?: string;
}

/** The last day of the run that goes on, such as 2026-11-29; null if the leaderboard has no runs and no end. */
export function lastDayOfRun(
  { start, end, runUnit, runInterval, timeZone }: Runs,
  nowMs: number,
): string | null {
  if (runUnit === null || runInterval === null) return end;
  // In the form of ISO 8601.
  const today = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(nowMs);
  let next = addTo(start, runUnit, runInterval);
  for (let run = 2; next <= today; run++) next = addTo(start, runUnit, run * runInterval);
  const last = new Date(Date.parse(next) - DAY_MS).toISOString().slice(0, 10);
  return end !== null && end < last ? end : last;
}

function addTo(date: string, unit: 'day' | 'month' | 'year', count: number): string {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number];
  if (unit === 'day') return new Date(Date.UTC(year, month - 1, day + count)).toISOString().slice(0, 10);
  const months = month - 1 + count * (unit === 'year' ? 12 : 1);
  // A month without such a day ends earlier.
  const lastDay = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, months, Math.min(day, lastDay))).toISOString().slice(0, 10);
}
