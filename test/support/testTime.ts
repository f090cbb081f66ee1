/**
 * Instant at which the clock of every test begins, whenever the test runs: Wednesday, 18 November 2026, noon
 * in UTC.
 */
export const START = '2026-11-18T12:00:00Z';
export const START_MS = Date.parse(START);
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Date that lies `days` after the start, or before it: 2026-11-21 for 3. */
export function dayFromStart(days: number): string {
  return new Date(START_MS + days * DAY_MS).toISOString().slice(0, 10);
}

/** Environment of programs that keep the machine's time when libfaketime moves that of the tests. */
export const MACHINE_TIME: NodeJS.ProcessEnv = { PATH: process.env.PATH };
