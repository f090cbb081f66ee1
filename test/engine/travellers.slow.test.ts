import { describe, expect, test } from 'vitest';
import { dateOfDay } from '../../src/rules/calendar.ts';
import { useRecorder } from '../support/recorder.ts';

/**
 * People who fly between Auckland, Honolulu and London while the clocks there are changed, as dated cases
 * worked out by hand: the streak holds, and no day, week or month counts twice, whether it is lived through
 * again, has 23 hours or 25, or is skipped.
 */
const recorder = useRecorder();
const { start, at, recorded, read, ranking } = recorder;

const [AUCKLAND, HONOLULU, LONDON] = ['Pacific/Auckland', 'Pacific/Honolulu', 'Europe/London'];

type Case = [now: string, tz: string, daily: number, weekly: number, monthly: number];

/** London goes to +1 at 01:00 UTC of March 29, Auckland back to +12 at 14:00 UTC of April 4. */
const SPRING: Case[] = [
  ['2026-03-28T11:30:00Z', AUCKLAND, 1, 1, 1], // Sunday 29
  ['2026-03-28T20:00:00Z', HONOLULU, 1, 1, 1], // Saturday 28
  ['2026-03-29T20:00:00Z', HONOLULU, 1, 1, 1], // the 29th once more
  ['2026-03-30T20:00:00Z', HONOLULU, 2, 2, 1], // Monday 30
  ['2026-03-31T09:30:00Z', AUCKLAND, 3, 2, 1], // the 31st, still the 30th in Honolulu
  ['2026-03-31T11:00:00Z', AUCKLAND, 4, 2, 2], // April 1
  ['2026-04-01T05:00:00Z', HONOLULU, 4, 2, 2], // March 31 once more, and March
  ['2026-04-01T21:30:00Z', LONDON, 4, 2, 2], // April 1 once more
  ['2026-04-01T22:59:59Z', LONDON, 4, 2, 2],
  ['2026-04-01T23:00:00Z', LONDON, 5, 2, 2], // midnight of summer time
  ['2026-04-03T22:59:59Z', LONDON, 6, 2, 2], // the last second of the 3rd
  ['2026-04-04T11:59:00Z', AUCKLAND, 7, 2, 2], // the 5th already: there was no 4th, and in London it is not over
  ['2026-04-04T13:30:00Z', AUCKLAND, 7, 2, 2], // 02:30 of the 5th
  ['2026-04-04T14:30:00Z', AUCKLAND, 7, 2, 2], // 02:30 of the 5th a second time
  ['2026-04-05T11:59:59Z', AUCKLAND, 7, 2, 2], // the end of a day of 25 hours
  ['2026-04-05T12:00:00Z', AUCKLAND, 8, 3, 2], // Monday 6
  ['2026-04-05T22:00:00Z', HONOLULU, 8, 3, 2], // Sunday 5 once more, and its week
  ['2026-04-07T09:59:59Z', HONOLULU, 8, 3, 2], // the 6th once more
  ['2026-04-08T09:59:59Z', HONOLULU, 9, 3, 2], // the 7th
  ['2026-04-09T08:00:00Z', LONDON, 10, 3, 2], // the 9th; in Honolulu the 8th is not over
  ['2026-04-10T23:00:00Z', LONDON, 1, 3, 2], // the 11th: the 10th was missed
];

/** Auckland goes to +13 at 14:00 UTC of September 26, London back to +0 at 01:00 UTC of October 25. */
const AUTUMN: Case[] = [
  ['2026-09-26T11:59:59Z', AUCKLAND, 1, 1, 1], // Saturday 26
  ['2026-09-26T12:00:00Z', AUCKLAND, 2, 1, 1], // Sunday 27
  ['2026-09-26T13:59:59Z', AUCKLAND, 2, 1, 1],
  ['2026-09-26T14:00:00Z', AUCKLAND, 2, 1, 1], // 03:00, a second after 01:59:59
  ['2026-09-27T10:59:59Z', AUCKLAND, 2, 1, 1], // the end of a day of 23 hours
  ['2026-09-27T11:00:00Z', AUCKLAND, 3, 2, 1], // Monday 28
  ['2026-09-27T20:00:00Z', HONOLULU, 3, 2, 1], // Sunday 27 once more, and its week
  ['2026-09-29T20:00:00Z', HONOLULU, 4, 2, 1], // the 29th
  ['2026-09-30T11:00:00Z', AUCKLAND, 5, 2, 2], // October 1; in Honolulu September 30 has just begun
  ['2026-09-30T20:00:00Z', HONOLULU, 5, 2, 2], // September 30, and September once more
  ['2026-10-01T20:00:00Z', HONOLULU, 5, 2, 2], // October 1 once more
  ['2026-10-11T22:59:59Z', LONDON, 1, 3, 2], // Sunday 11: days were missed, no week
  ['2026-10-14T12:00:00Z', LONDON, 1, 4, 2],
  ['2026-10-24T23:00:00Z', LONDON, 1, 5, 2], // Sunday 25
  ['2026-10-25T00:30:00Z', LONDON, 1, 5, 2], // 01:30
  ['2026-10-25T01:30:00Z', LONDON, 1, 5, 2], // 01:30 a second time
  ['2026-10-25T23:59:59Z', LONDON, 1, 5, 2], // the end of a day of 25 hours
  ['2026-10-26T00:00:00Z', LONDON, 2, 6, 2], // Monday 26
  ['2026-10-26T00:01:00Z', HONOLULU, 2, 6, 2], // Sunday 25 once more, and its week
  ['2026-10-27T09:59:59Z', HONOLULU, 2, 6, 2], // the 26th once more
  ['2026-10-28T09:59:59Z', HONOLULU, 3, 6, 2], // the 27th
  ['2026-10-31T11:00:00Z', AUCKLAND, 1, 6, 3], // November 1: three days were missed
  ['2026-10-31T20:00:00Z', HONOLULU, 1, 6, 3], // October 31 once more, and October
  ['2027-01-01T09:59:59Z', HONOLULU, 1, 1, 4], // the last second of December
  ['2027-01-01T10:00:00Z', HONOLULU, 2, 1, 5], // the first of January; its week is the same
  ['2027-03-01T10:00:00Z', HONOLULU, 1, 1, 1], // February was missed
];

describe.each([
  ['in spring', SPRING],
  ['in autumn', AUTUMN],
])('a traveller %s', (_season, cases) => {
  const board = { name: 'Board', rankBy: 'metric', metric: 'lessons', start: '2024-01-01' };
  const config = {
    metrics: [{ key: 'lessons', name: 'Lessons' }],
    streak: { metrics: [{ key: 'lessons', threshold: 1 }] },
    leaderboards: [
      { ...board, key: 'day', runUnit: 'day', runInterval: 1 },
      { ...board, key: 'week', runUnit: 'day', runInterval: 7 },
      { ...board, key: 'month', runUnit: 'month', runInterval: 1 },
    ],
  };

  test.each([
    ['that nobody settles meanwhile', Number.POSITIVE_INFINITY],
    ['that workers settle every hour', 3_600_000],
  ])('keeps streaks %s', async (_who, sweepEvery) => {
    await start(config, '2026-03-01T00:00:00Z');
    const { clock, sweep } = recorder.engine;
    const lengths: Case[] = [];
    for (const [now, tz] of cases) {
      for (let hour = clock.now() + sweepEvery; hour < Date.parse(now); hour += sweepEvery)
        await sweep.run(hour);
      at(now);
      await recorded({ id: 'ann', tz });
      const { daily, weekly, monthly } = (await read('ann')).streaks;
      lengths.push([now, tz, daily.length, weekly.length, monthly.length]);
    }
    expect(lengths).toEqual(cases);
  });

  test.each(['daily', 'weekly', 'monthly'])('extends the %s streak once a period', async (frequency) => {
    await start({ ...config, streak: { ...config.streak, frequency } }, '2026-03-01T00:00:00Z');
    const periods = [];
    for (const [now, tz] of cases) {
      at(now);
      const { extended, streak } = await recorded({ id: 'ann', tz });
      if (extended) periods.push(streak.lastPeriod);
    }
    expect(periods).toEqual([...new Set(periods)].sort((a, b) => a - b));
  });

  test('has each event counted in one run, and no run comes back', async () => {
    await start(config, '2026-03-01T00:00:00Z');
    const runs = [new Set<number>(), new Set<number>(), new Set<number>()];
    for (const [now, tz] of cases) {
      at(now);
      const { boards } = await recorded({ id: 'ann', tz });
      for (const [i, { run }] of boards.entries()) {
        expect(run, `${now}: ${dateOfDay(run)}`).toBeGreaterThanOrEqual(Math.max(...runs[i]!));
        runs[i]!.add(run);
      }
    }
    for (const [i, ofBoard] of runs.entries()) {
      const rankings = await Promise.all(
        [...ofBoard].map((run) => ranking({ board: i + 1, run, group: '' })),
      );
      const scores = rankings.map((found) => Number(found.replace('ann ', '')));
      expect(scores.reduce((sum, score) => sum + score)).toBe(cases.length);
    }
  });
});
