import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { dateOfDay } from '../../src/rules/calendar.ts';
import { type Recorded, useRecorder } from '../support/recorder.ts';

/** Dated cases of calendars, streaks and leaderboards, worked out by hand. */
const recorder = useRecorder();
const { start, at, recorded, ranking, nextInstant } = recorder;
/** A user in the home cell: events of one cell are in one call. */
const together = (name: string): string => recorder.engine.userIn(recorder.engine.cell, name);

const METRICS = [{ key: 'lessons', name: 'Lessons' }];
const DAILY = { metrics: [{ key: 'lessons', threshold: 1 }] };

describe('the same instant in three zones', () => {
  test.each([
    // Sunday evening in London is Monday morning on Kiritimati.
    ['2026-11-15T10:30:00Z', 'Pacific/Kiritimati', '2026-11-16', '2026-11-16', '2026-11-16'],
    ['2026-11-15T10:30:00Z', 'Europe/London', '2026-11-15', '2026-11-15', '2026-11-09'],
    ['2026-11-15T10:30:00Z', 'America/Los_Angeles', '2026-11-15', '2026-11-15', '2026-11-09'],
    ['2026-11-15T07:30:00Z', 'America/Los_Angeles', '2026-11-14', '2026-11-14', '2026-11-09'],
    // Monday in London is still Sunday in Los Angeles.
    ['2026-11-16T06:30:00Z', 'Pacific/Kiritimati', '2026-11-16', '2026-11-16', '2026-11-16'],
    ['2026-11-16T06:30:00Z', 'Europe/London', '2026-11-16', '2026-11-16', '2026-11-16'],
    ['2026-11-16T06:30:00Z', 'America/Los_Angeles', '2026-11-15', '2026-11-15', '2026-11-09'],
  ])('%s in %s: day %s, run %s of a day, run %s of a week', async (now, tz, day, dayRun, weekRun) => {
    const board = { rankBy: 'metric', metric: 'lessons', runUnit: 'day', start: '2026-01-05' };
    const leaderboards = [
      { ...board, key: 'day', name: 'Day', runInterval: 1 },
      { ...board, key: 'week', name: 'Week', runInterval: 7 },
    ];
    await start({ metrics: METRICS, streak: { ...DAILY, frequency: 'weekly' }, leaderboards }, now);
    const outcome = await recorded({ id: 'ann', tz });
    expect(dateOfDay(outcome.day)).toBe(day);
    expect(dateOfDay(outcome.streak.firstDay)).toBe(day);
    expect(dateOfDay(outcome.streak.lastPeriod * 7 - 3)).toBe(weekRun);
    expect(outcome.boards.map(({ run }) => dateOfDay(run))).toEqual([dayRun, weekRun]);
  });

  test('a user who travels west across midnight stays in the newer run', async () => {
    const daily = {
      key: 'day',
      name: 'Day',
      rankBy: 'metric',
      metric: 'lessons',
      runUnit: 'day',
      runInterval: 1,
    };
    await start({ metrics: METRICS, leaderboards: [{ ...daily, start: '2026-01-01' }] });
    at('2026-11-18T11:00:00Z');
    const [east] = (await recorded({ id: 'ann', tz: 'Pacific/Kiritimati' })).boards;
    const [west] = (await recorded({ id: 'ann', tz: 'Pacific/Honolulu' })).boards;
    expect(dateOfDay(east!.run)).toBe('2026-11-19');
    expect(west).toMatchObject({ run: east!.run, value: 2, previousValue: 1 });
    at('2026-11-20T11:00:00Z');
    const [next] = (await recorded('ann')).boards;
    expect([dateOfDay(next!.run), next!.value]).toEqual(['2026-11-20', 1]);
  });
});

describe('streaks', () => {
  // The day in the middle has 23, 25, 24.5 or 23.5 hours.
  test.each([
    ['Europe/London', '2026-03-29'],
    ['Europe/London', '2026-10-25'],
    ['America/Los_Angeles', '2026-03-08'],
    ['America/Los_Angeles', '2026-11-01'],
    ['Australia/Lord_Howe', '2026-04-05'],
    ['Australia/Lord_Howe', '2026-10-04'],
    ['America/Santiago', '2026-04-04'],
    ['America/Havana', '2026-11-01'],
  ])('in %s, the day %s breaks nothing and counts once', async (tz, date) => {
    await start({ metrics: METRICS, streak: DAILY });
    const day = (offset: number): string => DateTime.fromISO(date).plus({ days: offset }).toISODate()!;
    const lengths = [];
    for (const [instant, id] of [
      [`${day(-1)}T00:00:00`, 'far'],
      [`${day(-1)}T23:59:59`, 'near'],
      [`${day(0)}T03:30:00`, 'near'],
      [`${day(0)}T23:59:59`, 'near'],
      [`${day(0)}T23:59:59`, 'far'],
      [`${day(1)}T00:00:00`, 'near'],
      [`${day(1)}T23:59:59`, 'far'],
      [`${day(3)}T00:00:00`, 'far'],
    ] as const) {
      at(instant, tz);
      const { streak, extended } = await recorded({ id, tz });
      lengths.push(`${id} ${streak.length}${extended ? '' : ' again'}`);
    }
    expect(lengths).toEqual([
      'far 1',
      'near 1',
      'near 2',
      'near 2 again',
      'far 2',
      'near 3',
      'far 3',
      'far 1',
    ]);
  });

  test('a traveller from Auckland through Honolulu to London keeps the streak, and no period counts twice', async () => {
    await start({ metrics: METRICS, streak: DAILY });
    for (const [now, tz, length, extended] of [
      ['2026-11-17T20:00:00Z', 'Pacific/Auckland', 1, true], // the 18th
      ['2026-11-18T05:00:00Z', 'Pacific/Honolulu', 1, false], // the 17th once more
      ['2026-11-18T20:00:00Z', 'Pacific/Honolulu', 1, false], // the 18th once more
      ['2026-11-19T20:00:00Z', 'Pacific/Honolulu', 2, true], // the 19th
      ['2026-11-21T09:00:00Z', 'Europe/London', 3, true], // the 21st; still the 20th in Honolulu
      ['2026-11-21T10:00:00Z', 'Pacific/Auckland', 3, false], // the 21st
      ['2026-11-21T12:00:00Z', 'Pacific/Auckland', 4, true], // the 22nd
      ['2026-11-21T12:01:00Z', 'Europe/London', 4, false], // the 21st once more
      ['2026-11-22T12:00:00Z', 'Europe/London', 4, false], // the 22nd once more
      ['2026-11-24T23:59:00Z', 'Europe/London', 1, true], // the 23rd was missed
    ] as const) {
      at(now);
      expect(await recorded({ id: 'ann', tz }), now).toMatchObject({ streak: { length }, extended });
    }
  });

  test('between zones with three different dates, a period extended once is not extended again', async () => {
    await start({ metrics: METRICS, streak: DAILY });
    for (const [now, tz, length, extended] of [
      ['2026-11-18T10:30:00Z', 'Pacific/Kiritimati', 1, true], // the 19th
      ['2026-11-18T10:31:00Z', 'Pacific/Pago_Pago', 1, false], // the 17th
      ['2026-11-18T10:32:00Z', 'Europe/London', 1, false], // the 18th
      ['2026-11-19T10:32:00Z', 'Europe/London', 1, false], // the 19th once more
      ['2026-11-20T10:32:00Z', 'Europe/London', 2, true],
    ] as const) {
      at(now);
      expect(await recorded({ id: 'ann', tz }), now).toMatchObject({ streak: { length }, extended });
    }
  });

  test('a change of frequency keeps the streak: every event extends all three frequencies', async () => {
    await start({ metrics: METRICS, streak: DAILY });
    const lengths: Record<string, number> = {};
    for (let day = 1; day <= 20; day++) {
      at(`2026-11-${String(day).padStart(2, '0')}T12:00:00Z`);
      await recorded('ann');
    }
    for (const frequency of ['weekly', 'monthly', 'daily'] as const) {
      await recorder.engine.configure({ streak: { ...DAILY, frequency } });
      lengths[frequency] = (await recorded('ann')).streak.length;
    }
    expect(lengths).toEqual({ daily: 20, weekly: 4, monthly: 1 });
  });
});

describe('leaderboards', () => {
  const board = { key: 'all', name: 'All', rankBy: 'metric', metric: 'lessons', start: '2026-01-01' };

  test('a full leaderboard admits higher scores only, and equal scores rank by time', async () => {
    await start({ metrics: METRICS, leaderboards: [{ ...board, maxParticipants: 3 }] });
    const [place] = (await recorded('ann', 5)).boards;
    for (const [user, value, expected] of [
      ['bo', 3, 'ann 5, bo 3'],
      ['cy', 3, 'ann 5, bo 3, cy 3'],
      ['dee', 3, 'ann 5, bo 3, cy 3'], // no more than the lowest
      ['eli', 4, 'ann 5, eli 4, bo 3'], // the last of the lowest leaves
      ['cy', 1, 'ann 5, eli 4, cy 4'], // back with 4, and then bo was the lowest
      ['bo', 1, 'ann 5, eli 4, cy 4'],
      ['bo', 1, 'ann 5, bo 5, eli 4'],
      ['eli', 1, 'ann 5, bo 5, eli 5'],
      ['ann', -4, 'bo 5, eli 5, cy 4'], // the best user outside takes the place
      ['dee', 0, 'bo 5, eli 5, cy 4'],
      ['dee', 0.5, 'bo 5, eli 5, cy 4'],
      ['eli', -5, 'bo 5, cy 4, dee 3.5'], // a score of 0 has no place
    ] as const) {
      nextInstant();
      await recorded(user, value);
      expect(await ranking(place!), `${user} ${value}`).toBe(expected);
    }
  });

  test('events of one call keep their order', async () => {
    await start({ metrics: METRICS, leaderboards: [board] });
    const users = Array.from({ length: 50 }, (_, i) => together(`user-${(i * 37) % 50}`));
    const outcomes = (await Promise.all(users.map((user) => recorded(user)))) as Recorded[];
    expect(outcomes.map(({ boards }) => boards[0]!.rank)).toEqual(users.map((_, i) => i + 1));
    expect(await ranking(outcomes[0]!.boards[0]!)).toBe(users.map((user) => `${user} 1`).join(', '));
  });

  test('a call evaluates the events of each user in a row', async () => {
    await start({ metrics: METRICS, leaderboards: [board] });
    const [ann, bo] = ['ann', 'bo'].map(together) as [string, string];
    const events = [
      [ann, 1],
      [bo, 5],
      [ann, 10],
    ] as const;
    const outcomes = (await Promise.all(events.map(([user, value]) => recorded(user, value)))) as Recorded[];
    const ranks = outcomes
      .map(({ boards }) => boards[0]!)
      .map(({ previousRank, rank }) => [previousRank, rank]);
    expect(ranks).toEqual([
      [null, 1],
      [null, 2],
      [1, 1],
    ]);
  });

  test('events of one call report the places after all of them', async () => {
    await start({ metrics: METRICS, leaderboards: [{ ...board, maxParticipants: 3 }] });
    const names = ['ann', 'bo', 'cy', 'dee', 'eli'] as const;
    const [ann, bo, cy, dee, eli] = names.map(together) as [string, string, string, string, string];
    for (const [user, value] of [
      [ann, 1],
      [bo, 2],
      [cy, 3],
    ] as const)
      await recorded(user, value);
    const events = [
      [ann, 5],
      [cy, 10],
      [dee, 1],
      [bo, -1],
      [ann, 1],
      [eli, 4],
    ] as const;
    const outcomes = (await Promise.all(events.map(([user, value]) => recorded(user, value)))) as Recorded[];
    const placesOf = ({ boards }: Recorded) =>
      boards.map((place) => [place.previousRank, place.rank, place.value, place.threshold]);
    expect(outcomes.map(placesOf)).toEqual([
      [[3, 2, 6, 4]],
      [[1, 1, 13, 4]],
      [], // no place before and after
      [[2, null, 1, 4]],
      [[2, 2, 7, 4]], // begins where the first event of the user has led
      [[null, 3, 4, 4]],
    ]);
    expect(await ranking(outcomes[0]!.boards[0]!)).toBe(`${cy} 13, ${ann} 7, ${eli} 4`);
  });

  test('events of one user in one call stay in order across zones', async () => {
    await start({ metrics: METRICS });
    await recorded({ id: 'ann', tz: 'Europe/London' });
    await recorder.read('ann'); // The server remembers the zone.
    const zones = [null, undefined, 'Asia/Kathmandu', undefined, 'Europe/London', null] as const;
    const outcomes = await Promise.all(
      zones.map((tz) => recorded(tz === undefined ? 'ann' : { id: 'ann', tz })),
    );
    expect(outcomes.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5, 6, 7]);
  });

  test('a change of the breakdown attribute moves the score; users without one are not ranked', async () => {
    const attributes = { user: [{ key: 'city', name: 'City' }] };
    const leaderboards = [{ ...board, breakdownAttributes: ['city'] }];
    await start({ metrics: METRICS, attributes, leaderboards });
    expect((await recorded('ann', 3)).boards).toEqual([]);
    const [london] = (await recorded({ id: 'ann', attributes: { city: 'london' } })).boards;
    expect(london).toMatchObject({ rank: 1, previousRank: null, value: 4, group: '6:london' });
    const { outcome } = await recorder.engine.users.identify(recorder.engine.rules(), 'ann', {
      attributes: { city: 'tōkyō' },
    });
    const [tokyo] = (outcome as Recorded).boards;
    expect(tokyo).toMatchObject({ rank: 1, previousRank: 1, value: 4, previousValue: 4, group: '7:tōkyō' });
    expect([await ranking(london!), await ranking(tokyo!)]).toEqual(['', 'ann 4']);
    const [left] = (await recorded({ id: 'ann', attributes: { city: null } })).boards;
    expect(left).toMatchObject({ rank: null, previousRank: 1, group: '7:tōkyō' });
    expect(await ranking(tokyo!)).toBe('');
  });

  test('a user who changes group outside the dates of the leaderboard is in one group only', async () => {
    const attributes = { user: [{ key: 'city', name: 'City' }] };
    const leaderboards = [{ ...board, start: '2026-11-19', breakdownAttributes: ['city'] }];
    await start({ metrics: METRICS, attributes, leaderboards }, '2026-11-18T11:00:00Z');
    const [london] = (await recorded({ id: 'ann', tz: 'Pacific/Kiritimati', attributes: { city: 'london' } }))
      .boards;
    expect((await recorded({ id: 'ann', tz: 'Pacific/Honolulu' })).boards).toEqual([]);
    await recorded({ id: 'ann', attributes: { city: 'tokyo' } });
    await recorded({ id: 'ann', tz: 'Pacific/Kiritimati' });
    expect(await ranking({ ...london!, group: '5:tokyo' })).toBe('ann 4');
    expect(await ranking(london!)).toBe('');
  });

  test.each([
    ['09:00', '17:30:30', ['09:00:00', '17:30:29'], ['08:59:59', '17:30:30']],
    ['22:00', '02:15', ['22:00:00', '23:59:59', '00:00:00', '02:14:59'], ['21:59:59', '02:15:00']],
    ['12:00', null, ['12:00:00', '23:59:59'], ['11:59:59', '00:00:00']],
    [null, '06:00', ['00:00:00', '05:59:59'], ['06:00:00']],
  ])('the window from %s to %s counts by the local clock', async (startTime, endTime, inside, outside) => {
    await start({ metrics: METRICS, leaderboards: [{ ...board, startTime, endTime }] });
    for (const [times, ranked] of [
      [inside, 1],
      [outside, 0],
    ] as const) {
      for (const time of times) {
        at(`2026-11-18T${time}`, 'Asia/Kathmandu');
        const outcome = await recorded({ id: `user ${time}`, tz: 'Asia/Kathmandu' });
        expect(outcome.boards, time).toHaveLength(ranked);
      }
    }
  });
});
