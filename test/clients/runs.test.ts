import { expect, test } from 'vitest';
import { lastDayOfRun } from '../../clients/components/src/runs.ts';

/** The day that leaderboards and leagues of clients/components name as the end of a run. */

const runs = (
  runUnit: 'day' | 'month' | 'year' | null,
  runInterval: number | null,
  start = '2026-01-05',
) => ({
  start,
  end: null,
  runUnit,
  runInterval,
  timeZone: 'UTC',
});

test.each([
  ['a week', runs('day', 7), '2026-11-27T12:00:00Z', '2026-11-29'],
  ['the last day of a week', runs('day', 7), '2026-11-29T23:59:59Z', '2026-11-29'],
  ['the first day of a week', runs('day', 7), '2026-11-30T00:00:00Z', '2026-12-06'],
  ['the time zone', { ...runs('day', 7), timeZone: 'Asia/Tokyo' }, '2026-11-29T15:00:00Z', '2026-12-06'],
  ['a month', runs('month', 1), '2026-02-10T00:00:00Z', '2026-03-04'],
  ['a month without a 31st', runs('month', 1, '2026-01-31'), '2026-02-10T00:00:00Z', '2026-02-27'],
  ['two years', runs('year', 2), '2027-05-01T00:00:00Z', '2028-01-04'],
  ['the end within a run', { ...runs('day', 7), end: '2026-11-28' }, '2026-11-27T12:00:00Z', '2026-11-28'],
  ['before the start', runs('day', 7), '2025-12-01T00:00:00Z', '2026-01-11'],
  ['no runs', { ...runs(null, null), end: '2026-12-31' }, '2026-11-27T12:00:00Z', '2026-12-31'],
  ['neither runs nor an end', runs(null, null), '2026-11-27T12:00:00Z', null],
])('%s', (_, board, now, last) => {
  expect(lastDayOfRun(board, Date.parse(now))).toBe(last);
});
