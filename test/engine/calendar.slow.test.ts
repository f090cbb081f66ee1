import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import {
  dateOfDay,
  dayOfDate,
  firstDayAnywhere,
  isDate,
  isTimeZone,
  type LocalTime,
  lastDayAnywhere,
  localTime,
  monthOfDay,
  overEverywhere,
  periodDays,
  periodOf,
  runOf,
  secondOfDay,
  weekOfDay,
} from '../../src/rules/calendar.ts';
import type { Leaderboard } from '../../src/rules/config.ts';

describe('days, weeks and months as ordinals', () => {
  test.each([
    // date, day, week, month
    ['1969-12-29', -3, 0, -1],
    ['1970-01-01', 0, 0, 0],
    ['1970-01-04', 3, 0, 0],
    ['1970-01-05', 4, 1, 0],
    ['1970-02-01', 31, 4, 1],
    ['2026-01-01', 20454, 2922, 672],
    ['2026-01-04', 20457, 2922, 672],
    ['2026-01-05', 20458, 2923, 672],
    ['2028-02-29', 21243, 3035, 697],
    ['2028-03-01', 21244, 3035, 698],
  ])('%s is day %i, week %i, month %i', (date, day, week, month) => {
    expect(dayOfDate(date)).toBe(day);
    expect(dateOfDay(day)).toBe(date);
    expect(weekOfDay(day)).toBe(week);
    expect(monthOfDay(day)).toBe(month);
  });

  test.each([
    ['daily', '2026-11-18', '2026-11-18', '2026-11-18'],
    ['weekly', '2026-11-15', '2026-11-09', '2026-11-15'],
    ['weekly', '2026-11-16', '2026-11-16', '2026-11-22'],
    ['weekly', '2027-01-01', '2026-12-28', '2027-01-03'],
    ['weekly', '1970-01-01', '1969-12-29', '1970-01-04'],
    ['monthly', '2026-11-30', '2026-11-01', '2026-11-30'],
    ['monthly', '2027-02-28', '2027-02-01', '2027-02-28'],
    ['monthly', '2028-02-01', '2028-02-01', '2028-02-29'],
    ['monthly', '1969-12-31', '1969-12-01', '1969-12-31'],
  ] as const)('the %s period of %s is %s to %s', (frequency, date, first, last) => {
    const time = localTime('UTC', Date.parse(`${date}T12:00:00Z`));
    const { start, end } = periodDays(frequency, periodOf(time, frequency));
    expect([dateOfDay(start), dateOfDay(end)]).toEqual([first, last]);
  });

  test('only dates that exist are dates', () => {
    expect(['2026-02-28', '2028-02-29', '2026-12-31'].map(isDate)).toEqual([true, true, true]);
    const others = [
      '2026-02-29',
      '2026-02-30',
      '2026-13-01',
      '2026-1-1',
      '2026-01-01T00:00:00Z',
      '20260101',
      '',
    ];
    expect(others.filter(isDate)).toEqual([]);
  });

  test('only IANA names are time zones', () => {
    const names = [
      'UTC',
      'Europe/London',
      'America/Argentina/Buenos_Aires',
      'Pacific/Kiritimati',
      'Etc/GMT+12',
    ];
    expect(names.filter(isTimeZone)).toEqual(names);
    expect(['', '+03:00', 'UTC+3', 'Mars/Olympus', 'Europe/', 'London', 'local'].filter(isTimeZone)).toEqual(
      [],
    );
  });

  test.each([
    ['00:00', 0],
    ['09:30', 34_200],
    ['17:30:30', 63_030],
    ['23:59:59', 86_399],
    ['24:00', 86_400],
  ])('%s is second %i of the day', (time, second) => {
    expect(secondOfDay(time)).toBe(second);
  });
});

describe('the local time of a zone', () => {
  test.each([
    // zone, now, local date, offset in hours, until
    ['UTC', '2026-11-18T00:00:00Z', '2026-11-18', 0, '2026-11-19T00:00:00Z'],
    ['Pacific/Kiritimati', '2026-11-18T10:00:00Z', '2026-11-19', 14, '2026-11-19T10:00:00Z'],
    ['Pacific/Kiritimati', '2026-11-18T09:59:59Z', '2026-11-18', 14, '2026-11-18T10:00:00Z'],
    ['Pacific/Honolulu', '2026-11-18T09:59:59Z', '2026-11-17', -10, '2026-11-18T10:00:00Z'],
    ['Asia/Kathmandu', '2026-11-18T18:14:59Z', '2026-11-18', 5.75, '2026-11-18T18:15:00Z'],
    // London: a day of 23 hours, and one of 25.
    ['Europe/London', '2026-03-29T00:30:00Z', '2026-03-29', 0, '2026-03-29T01:00:00Z'],
    ['Europe/London', '2026-03-29T01:00:00Z', '2026-03-29', 1, '2026-03-29T23:00:00Z'],
    ['Europe/London', '2026-10-24T23:00:00Z', '2026-10-25', 1, '2026-10-25T01:00:00Z'],
    ['Europe/London', '2026-10-25T01:00:00Z', '2026-10-25', 0, '2026-10-26T00:00:00Z'],
    // Lord Howe: by half an hour.
    ['Australia/Lord_Howe', '2026-04-04T14:59:59Z', '2026-04-05', 11, '2026-04-04T15:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', '2026-04-05', 10.5, '2026-04-05T13:30:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', '2026-10-04', 11, '2026-10-04T13:00:00Z'],
    // Santiago turns the clock back at midnight to 23:00 of the same day, and forward at midnight to 01:00 of
    // the next.
    ['America/Santiago', '2026-04-05T02:59:59Z', '2026-04-04', -3, '2026-04-05T03:00:00Z'],
    ['America/Santiago', '2026-04-05T03:00:00Z', '2026-04-04', -4, '2026-04-05T04:00:00Z'],
    ['America/Santiago', '2026-09-06T03:59:59Z', '2026-09-05', -4, '2026-09-06T04:00:00Z'],
    ['America/Santiago', '2026-09-06T04:00:00Z', '2026-09-06', -3, '2026-09-07T03:00:00Z'],
  ])('%s at %s: %s, offset %d h, until %s', (zone, now, date, hours, until) => {
    const time = localTime(zone, Date.parse(now));
    expect(dateOfDay(time.day)).toBe(date);
    expect(time.offsetMs).toBe(hours * 3_600_000);
    expect(new Date(time.untilMs).toISOString()).toBe(new Date(until).toISOString());
  });

  test('Kiritimati, London and Los Angeles at one instant are in different days, weeks and months', () => {
    const now = Date.parse('2026-08-31T10:30:00Z');
    const at = (zone: string): string[] => {
      const { day, week, month } = localTime(zone, now);
      return [dateOfDay(day), `week ${week}`, `month ${month}`];
    };
    expect(at('Pacific/Kiritimati')).toEqual(['2026-09-01', 'week 2957', 'month 680']);
    expect(at('Europe/London')).toEqual(['2026-08-31', 'week 2957', 'month 679']);
    expect(localTime('America/Los_Angeles', Date.parse('2026-08-31T06:59:59Z')).week).toBe(2956);
  });

  test('is the same object until something in it changes', () => {
    const first = localTime('Europe/London', Date.parse('2026-03-29T00:10:00Z'));
    expect(localTime('Europe/London', Date.parse('2026-03-29T00:59:59.999Z'))).toBe(first);
    expect(localTime('Europe/London', Date.parse('2026-03-29T01:00:00Z'))).not.toBe(first);
    // Going back, as two servers' clocks may, is no more than a miss of the cache.
    expect(localTime('Europe/London', Date.parse('2026-03-28T23:59:59Z')).day).toBe(dayOfDate('2026-03-28'));
  });

  test.each([
    ['Europe/London', '2026-03-27'],
    ['Europe/London', '2026-10-23'],
    ['America/Los_Angeles', '2026-03-06'],
    ['America/Los_Angeles', '2026-10-30'],
    ['Australia/Lord_Howe', '2026-04-03'],
    ['Australia/Lord_Howe', '2026-10-02'],
    ['Pacific/Auckland', '2026-04-03'],
    ['America/Santiago', '2026-04-03'],
    ['America/Havana', '2026-10-30'],
    ['Africa/Casablanca', '2026-02-13'],
    ['Asia/Kathmandu', '2026-12-30'],
  ])('%s shows what the wall shows for four days from %s, forwards and backwards', (zone, start) => {
    const from = Date.parse(`${start}T00:00:00Z`);
    const instants = Array.from({ length: 4 * 24 * 12 }, (_, i) => from + i * 300_000);
    for (const now of [...instants, ...instants.toReversed()]) {
      const wall = DateTime.fromMillis(now, { zone });
      expect(shown(localTime(zone, now), now), wall.toISO()!).toEqual({
        date: wall.toISODate(),
        clock: wall.toFormat('HH:mm:ss'),
        monday: wall.startOf('week').toISODate(),
        first: wall.startOf('month').toISODate(),
        holds: true,
      });
    }
  });

  function shown(time: LocalTime, now: number) {
    return {
      date: dateOfDay(time.day),
      clock: new Date(now + time.offsetMs).toISOString().slice(11, 19),
      monday: dateOfDay(periodDays('weekly', time.week).start),
      first: dateOfDay(periodDays('monthly', time.month).start),
      holds: time.fromMs <= now && now < time.untilMs,
    };
  }
});

describe('a date', () => {
  const zones = [...Intl.supportedValuesOf('timeZone'), 'Etc/GMT+12', 'Etc/GMT-14', 'UTC'];
  test.each(['2026-03-28', '2026-07-04', '2026-10-31', '2027-01-01', '2028-02-29'])(
    '%s begins in the first zone 14 hours before it does in UTC, and is over in the last one 12 hours after its end in UTC',
    (date) => {
      const day = dayOfDate(date);
      const daysAt = (now: number) => new Set(zones.map((zone) => localTime(zone, now).day));
      const over = overEverywhere(day);
      expect(new Date(over).toISOString()).toBe(`${dateOfDay(day + 1)}T12:00:00.000Z`);
      expect(Math.min(...daysAt(over - 1))).toBe(day);
      expect(Math.min(...daysAt(over))).toBe(day + 1);
      const begins = dayOfDate(date) * 86_400_000 - 14 * 3_600_000;
      expect(Math.max(...daysAt(begins - 1))).toBe(day - 1);
      expect(Math.max(...daysAt(begins))).toBe(day);
      for (const now of [begins - 1, begins, over - 1, over]) {
        expect([lastDayAnywhere(now), firstDayAnywhere(now)]).toEqual([
          Math.min(...daysAt(now)),
          Math.max(...daysAt(now)),
        ]);
      }
    },
  );
});

describe('the run of a leaderboard', () => {
  const board = (fields: Partial<Leaderboard>) =>
    ({
      status: 'active',
      start: '2026-01-01',
      end: null,
      runUnit: null,
      runInterval: null,
      runEnds: [],
      ...fields,
    }) as Leaderboard;
  const runAt = (leaderboard: Leaderboard, date: string): (string | null)[] | null => {
    const run = runOf(leaderboard, dayOfDate(date));
    return run && [dateOfDay(run.start), run.end === null ? null : dateOfDay(run.end)];
  };

  const perpetual = board({ start: '2026-03-10' });
  const bounded = board({ start: '2026-03-10', end: '2026-03-20' });
  const weekly = board({ start: '2026-11-16', runUnit: 'day', runInterval: 7 });
  const moved = board({
    ...weekly,
    runEnds: [
      { run: 0, end: '2026-11-25', reason: 'Longer' },
      { run: 1, end: '2026-11-27', reason: 'Shorter' },
    ],
  });
  const monthly31 = board({ start: '2026-01-31', runUnit: 'month', runInterval: 1 });
  const quarterly31 = board({ start: '2025-08-31', runUnit: 'month', runInterval: 3 });
  const monthly30 = board({ start: '2027-11-30', end: '2028-04-10', runUnit: 'month', runInterval: 1 });
  const yearlyLeap = board({ start: '2024-02-29', runUnit: 'year', runInterval: 1 });
  const fourYearly = board({ start: '2024-02-29', runUnit: 'year', runInterval: 4 });

  test.each<[string, string, Leaderboard, (string | null)[] | null]>([
    ['perpetual', '2026-03-09', perpetual, null],
    ['perpetual', '2026-03-10', perpetual, ['2026-03-10', null]],
    ['perpetual', '2033-01-01', perpetual, ['2026-03-10', null]],
    ['bounded', '2026-03-20', bounded, ['2026-03-10', '2026-03-20']],
    ['bounded', '2026-03-21', bounded, null],
    ['weekly', '2026-11-15', weekly, null],
    ['weekly', '2026-11-16', weekly, ['2026-11-16', '2026-11-22']],
    ['weekly', '2026-11-22', weekly, ['2026-11-16', '2026-11-22']],
    ['weekly', '2026-11-23', weekly, ['2026-11-23', '2026-11-29']],
    ['weekly', '2028-02-29', weekly, ['2028-02-28', '2028-03-05']],
    ['weekly, with moved ends', '2026-11-25', moved, ['2026-11-16', '2026-11-25']],
    ['weekly, with moved ends', '2026-11-26', moved, ['2026-11-26', '2026-11-27']],
    ['weekly, with moved ends', '2026-11-28', moved, ['2026-11-28', '2026-12-06']],
    ['weekly, with moved ends', '2026-12-07', moved, ['2026-12-07', '2026-12-13']],
    ['monthly from the 31st', '2026-02-27', monthly31, ['2026-01-31', '2026-02-27']],
    ['monthly from the 31st', '2026-02-28', monthly31, ['2026-02-28', '2026-03-30']],
    ['monthly from the 31st', '2026-03-30', monthly31, ['2026-02-28', '2026-03-30']],
    ['monthly from the 31st', '2026-03-31', monthly31, ['2026-03-31', '2026-04-29']],
    ['monthly from the 31st', '2026-04-30', monthly31, ['2026-04-30', '2026-05-30']],
    ['monthly from the 31st', '2027-01-30', monthly31, ['2026-12-31', '2027-01-30']],
    ['monthly from the 31st', '2028-02-29', monthly31, ['2028-02-29', '2028-03-30']],
    ['quarterly from the 31st', '2025-11-29', quarterly31, ['2025-08-31', '2025-11-29']],
    ['quarterly from the 31st', '2025-11-30', quarterly31, ['2025-11-30', '2026-02-27']],
    ['quarterly from the 31st', '2026-05-31', quarterly31, ['2026-05-31', '2026-08-30']],
    ['monthly from the 30th, with an end', '2028-02-28', monthly30, ['2028-01-30', '2028-02-28']],
    ['monthly from the 30th, with an end', '2028-02-29', monthly30, ['2028-02-29', '2028-03-29']],
    ['monthly from the 30th, with an end', '2028-04-01', monthly30, ['2028-03-30', '2028-04-10']],
    ['monthly from the 30th, with an end', '2028-04-11', monthly30, null],
    ['yearly from Feb 29', '2025-02-27', yearlyLeap, ['2024-02-29', '2025-02-27']],
    ['yearly from Feb 29', '2025-02-28', yearlyLeap, ['2025-02-28', '2026-02-27']],
    ['yearly from Feb 29', '2028-02-28', yearlyLeap, ['2027-02-28', '2028-02-28']],
    ['yearly from Feb 29', '2028-02-29', yearlyLeap, ['2028-02-29', '2029-02-27']],
    ['every four years from Feb 29', '2028-02-28', fourYearly, ['2024-02-29', '2028-02-28']],
    ['every four years from Feb 29', '2028-02-29', fourYearly, ['2028-02-29', '2032-02-28']],
  ])('%s, on %s', (_name, date, leaderboard, run) => {
    expect(runAt(leaderboard, date)).toEqual(run);
  });

  test.each([board({ runUnit: 'day', runInterval: 3 }), monthly31, quarterly31, yearlyLeap])(
    'runs follow each other without gap or overlap (%#)',
    (leaderboard) => {
      const first = dayOfDate(leaderboard.start);
      let expected = first;
      for (let day = first; day < first + 3_000; ) {
        const run = runOf(leaderboard, day)!;
        expect(run.start).toBe(expected);
        for (let inside = run.start; inside <= run.end!; inside++)
          expect(runOf(leaderboard, inside)).toEqual(run);
        expected = run.end! + 1;
        day = expected;
      }
    },
  );

  const starts = [
    '2024-01-29',
    '2024-01-30',
    '2024-01-31',
    '2024-02-29',
    '2025-02-28',
    '2025-08-31',
    '2026-11-30',
    '2026-12-31',
  ];
  const repeats = [1, 2, 3, 5, 6, 12, 13].map((interval) => ['month', interval] as const);
  const yearly = [1, 2, 3, 4].map((interval) => ['year', interval] as const);
  test.each(starts.flatMap((start) => [...repeats, ...yearly].map((repeat) => [start, ...repeat] as const)))(
    'from %s, begin anew every so many months or years as luxon counts them: %s, %i',
    (start, runUnit, runInterval) => {
      const leaderboard = board({ start, runUnit, runInterval });
      const first = DateTime.fromISO(start, { zone: 'utc' });
      for (let count = 0; count < 30; count++) {
        const begins = first.plus({ [runUnit]: count * runInterval }).toISODate()!;
        const ends = first.plus({ [runUnit]: (count + 1) * runInterval }).minus({ days: 1 });
        const run = [begins, ends.toISODate()!];
        expect(runAt(leaderboard, begins)).toEqual(run);
        expect(runAt(leaderboard, run[1]!)).toEqual(run);
      }
    },
  );

  test('only scheduled and active leaderboards have a run', () => {
    const statuses = ['inactive', 'scheduled', 'active', 'finished'] as const;
    const running = statuses.filter((status) => runOf(board({ status }), dayOfDate('2026-06-01')) !== null);
    expect(running).toEqual(['scheduled', 'active']);
  });
});
