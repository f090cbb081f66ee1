import { describe, expect, test } from 'vitest';
import type { ConfigFile } from '../../src/contract/configured/configFile.ts';
import { dateOfDay, dayOfDate, periodOfDay } from '../../src/rules/calendar.ts';
import type { Frequency } from '../../src/rules/config.ts';
import { type Completion, type Earning, followStreak } from '../../src/rules/followStreak.ts';
import { useRecorder } from '../support/recorder.ts';

/*
 * The rules of streaks stand twice: in the scripts, which follow a streak as time passes, and in
 * src/rules/followStreak.ts, which follows it again for events of the past. Every case holds for both.
 */
/** A Wednesday. */
const FIRST_DAY = dayOfDate('2026-11-18');
type Freezes = NonNullable<NonNullable<ConfigFile['streak']>['freezes']>;

interface Case {
  frequency?: Frequency;
  freezes?: Freezes;
  /** Weekdays. */
  daysOff?: number[];
  /** From the first day on: `x` with an event, `.` without. The last day is not over. */
  days: string;
  length: number;
  left?: number;
}

const FREEZES: Freezes = { startCount: 1, maxCount: 2 };
const cases: [string, Case][] = [
  ['every day extends it', { days: 'xxxx', length: 4 }],
  ['the present day may still extend it', { days: 'xxx.', length: 3 }],
  ['a missed day ends it', { days: 'xxx.x', length: 1 }],
  ['nothing is left after two days', { days: 'xx..', length: 0 }],
  ['a freeze makes a missed day good', { freezes: FREEZES, days: 'xx.x', length: 3, left: 0 }],
  ['one freeze is not enough for two days', { freezes: FREEZES, days: 'xx..x', length: 1, left: 0 }],
  [
    'freezes are earned while it lasts, up to the maximum',
    {
      freezes: { startCount: 0, maxCount: 2, autoEarnInterval: 2, autoEarnAmount: 1 },
      days: 'xxxxxxxx',
      length: 8,
      left: 2,
    },
  ],
  [
    'a freeze that is earned when the missed day ends saves it',
    {
      freezes: { startCount: 0, maxCount: 1, autoEarnInterval: 3, autoEarnAmount: 1 },
      days: 'xx.x',
      length: 3,
      left: 0,
    },
  ],
  ['a day off needs nothing', { daysOff: [0, 6], days: 'xxx..x', length: 4 }],
  ['a day off can extend it', { daysOff: [0, 6], days: 'xxxx.x', length: 5 }],
  ['a day off uses no freeze', { daysOff: [0, 6], freezes: FREEZES, days: 'xxx...x', length: 4, left: 0 }],
  ['a week is kept by one day', { frequency: 'weekly', days: 'x.....x......x', length: 3 }],
  ['a missed week ends it', { frequency: 'weekly', days: 'x............x', length: 1 }],
  [
    'a freeze makes a week good',
    { frequency: 'weekly', freezes: FREEZES, days: 'x............x', length: 2, left: 0 },
  ],
  ['a month is kept by one day', { frequency: 'monthly', days: 'x............x', length: 2 }],
];

const noon = (day: number): number => Date.parse(`${dateOfDay(day)}T12:00:00Z`);
const daysWithEvents = (days: string): number[] =>
  [...days].flatMap((mark, i) => (mark === 'x' ? [FIRST_DAY + i] : []));

describe('scripts', () => {
  const { start, at, recorded, read } = useRecorder();
  test.each(cases)(
    '%s',
    async (_title, { frequency = 'daily', freezes, daysOff = [], days, ...expected }) => {
      await start({
        metrics: [{ key: 'lessons', name: 'Lessons' }],
        streak: {
          frequency,
          daysOff,
          metrics: [{ key: 'lessons', threshold: 1 }],
          ...(freezes && { freezes }),
        },
      });
      for (const day of daysWithEvents(days)) {
        at(new Date(noon(day)).toISOString());
        await recorded('ann');
      }
      at(new Date(noon(FIRST_DAY + days.length - 1)).toISOString());
      const user = await read('ann');
      expect({ length: user.streaks[frequency].length, left: user.freezes }).toEqual({
        left: 0,
        ...expected,
      });
    },
  );
});

describe('history', () => {
  test.each(cases)('%s', (_title, { frequency = 'daily', freezes, daysOff = [], days, ...expected }) => {
    const completed = new Map<number, Completion>();
    for (const day of daysWithEvents(days).reverse())
      completed.set(periodOfDay(frequency, day), { day, at: noon(day) });
    const today = FIRST_DAY + days.length - 1;
    const { autoEarnInterval: every, autoEarnAmount: amount, maxCount: max = 0 } = freezes ?? {};
    const earning: Earning = every && amount ? { every, amount, max } : null;
    const isDayOff = (day: number): boolean => daysOff.includes(new Date(noon(day)).getUTCDay());
    const after = followStreak(
      {
        frequency,
        zone: 'UTC',
        from: periodOfDay(frequency, FIRST_DAY),
        current: periodOfDay(frequency, today),
        today,
        completed,
        resets: new Map(),
        coveredBy: (period) => (frequency === 'daily' && isDayOff(period) ? 'dayOff' : null),
        earning,
      },
      { length: 0, firstDay: 0, lastPeriod: 0, freezes: freezes?.startCount ?? 0, freezeDay: 0 },
    );
    expect({ length: after.length, left: after.freezes }).toEqual({ left: 0, ...expected });
  });
});
