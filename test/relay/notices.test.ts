import { describe, expect, test } from 'vitest';
import { dayOfDate, periodOfDay } from '../../src/rules/calendar.ts';
import { emptyConfig, type Frequency, type RecapFrequency } from '../../src/rules/config.ts';
import {
  compileNoticeRules,
  noticeTimes,
  periodInWords,
  recapPeriod,
  reminderAt,
  usefulUntil,
} from '../../src/rules/notices.ts';

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000', '');
const ALL = {
  achievements: true,
  reminder: true,
  recaps: ['daily', 'weekly', 'monthly', 'yearly'] as RecapFrequency[],
  reactivation: true,
};
const timesOn = (zone: string, date: string, frequency: Frequency = 'daily') =>
  noticeTimes(ALL, frequency, zone, dayOfDate(date));

describe('achievements are announced from 17:00 to 21:00 local time', () => {
  test.each([
    ['UTC', '2026-11-21', '2026-11-21T17:00:00Z', '2026-11-21T21:00:00Z', '2026-11-22T17:00:00Z'],
    ['Asia/Tokyo', '2026-11-21', '2026-11-21T08:00:00Z', '2026-11-21T12:00:00Z', '2026-11-22T08:00:00Z'],
    ['Asia/Kolkata', '2026-11-21', '2026-11-21T11:30:00Z', '2026-11-21T15:30:00Z', '2026-11-22T11:30:00Z'],
    // The clock goes back in the night between.
    [
      'America/New_York',
      '2026-10-31',
      '2026-10-31T21:00:00Z',
      '2026-11-01T01:00:00Z',
      '2026-11-01T22:00:00Z',
    ],
    // And forward.
    ['Europe/Berlin', '2026-03-28', '2026-03-28T16:00:00Z', '2026-03-28T20:00:00Z', '2026-03-29T15:00:00Z'],
    [
      'Pacific/Kiritimati',
      '2026-11-21',
      '2026-11-21T03:00:00Z',
      '2026-11-21T07:00:00Z',
      '2026-11-22T03:00:00Z',
    ],
  ])('%s on %s', (zone, date, ...expected) => {
    expect(timesOn(zone, date).evening.map(iso)).toEqual(expected);
  });
});

describe('a streak reminder is due', () => {
  test.each<[Frequency, string, string, string]>([
    ['daily', 'UTC', '2026-11-21', '2026-11-21T20:00:00Z'],
    ['daily', 'America/Los_Angeles', '2026-11-21', '2026-11-22T04:00:00Z'],
    ['daily', 'Asia/Kathmandu', '2026-11-21', '2026-11-21T14:15:00Z'],
    ['daily', 'Europe/Berlin', '2026-03-29', '2026-03-29T18:00:00Z'],
    ['daily', 'Europe/Berlin', '2026-10-25', '2026-10-25T19:00:00Z'],
    // The clock skips midnight: the day before ends with it.
    ['daily', 'Africa/Cairo', '2026-04-23', '2026-04-23T18:00:00Z'],
    ['weekly', 'UTC', '2026-11-21', '2026-11-20T09:00:00Z'],
    // In Cairo it is a Friday on which the clock goes forward, at midnight.
    ['weekly', 'Africa/Cairo', '2026-04-24', '2026-04-24T06:00:00Z'],
    ['weekly', 'Asia/Jerusalem', '2026-03-27', '2026-03-27T06:00:00Z'],
    ['monthly', 'America/New_York', '2026-11-02', '2026-11-25T14:00:00Z'],
    ['monthly', 'Europe/Berlin', '2026-10-02', '2026-10-25T08:00:00Z'],
    ['monthly', 'UTC', '2027-02-28', '2027-02-25T09:00:00Z'],
  ])('%s in %s, for the period of %s', (frequency, zone, date, expected) => {
    expect(iso(reminderAt(frequency, zone, periodOfDay(frequency, dayOfDate(date))))).toBe(expected);
  });

  test('for the current period and the next one', () => {
    expect(timesOn('UTC', '2026-11-21', 'weekly').reminder.map(iso)).toEqual([
      '2026-11-20T09:00:00Z',
      '2026-11-27T09:00:00Z',
    ]);
  });
});

describe('a recap is due at 09:00 after its period', () => {
  test.each([
    [
      1,
      'Europe/London',
      '2026-03-28',
      '2026-03-27',
      '2026-03-28T09:00:00Z',
      '2026-03-28',
      '2026-03-29T08:00:00Z',
    ],
    [2, 'UTC', '2026-11-22', '2026-11-09', '2026-11-16T09:00:00Z', '2026-11-16', '2026-11-23T09:00:00Z'],
    [
      2,
      'Australia/Sydney',
      '2026-10-04',
      '2026-09-21',
      '2026-09-27T23:00:00Z',
      '2026-09-28',
      '2026-10-04T22:00:00Z',
    ],
    [3, 'UTC', '2026-12-31', '2026-11-01', '2026-12-01T09:00:00Z', '2026-12-01', '2027-01-01T09:00:00Z'],
    [
      4,
      'Asia/Tokyo',
      '2027-01-01',
      '2026-01-01',
      '2027-01-01T00:00:00Z',
      '2027-01-01',
      '2028-01-01T00:00:00Z',
    ],
  ])('frequency %d in %s on %s', (number, zone, date, startBefore, dueBefore, start, due) => {
    const times = timesOn(zone, date).recaps.find(([of]) => of === number)!;
    expect([times[1], times[3]]).toEqual([dayOfDate(startBefore), dayOfDate(start)]);
    expect([times[2]!, times[4]!].map(iso)).toEqual([dueBefore, due]);
  });
});

test('a user who is away is written to in the morning', () => {
  expect(timesOn('America/New_York', '2026-10-30').mornings.slice(0, 4).map(iso)).toEqual([
    '2026-10-30T14:00:00Z',
    '2026-10-31T14:00:00Z',
    '2026-11-01T15:00:00Z',
    '2026-11-02T15:00:00Z',
  ]);
});

test.each([
  ['Europe/Berlin', '2026-11-21T16:00:00Z', '2026-11-21T21:00:00Z'],
  ['America/Los_Angeles', '2026-11-22T04:00:00Z', '2026-11-22T06:00:00Z'],
  ['Asia/Tokyo', '2026-11-21T00:00:00Z', '2026-11-21T13:00:00Z'],
])('nothing is sent at night: in %s what is due at %s is useful until %s', (zone, due, until) => {
  expect(new Date(usefulUntil(zone, Date.parse(due))).toISOString()).toBe(until.replace('Z', '.000Z'));
});

test.each<[RecapFrequency, string, string]>([
  ['daily', '2026-11-21', 'Saturday, 21 November 2026'],
  ['weekly', '2026-11-21', '16 to 22 November 2026'],
  ['weekly', '2026-12-01', '30 November to 6 December 2026'],
  ['weekly', '2027-01-01', '28 December 2026 to 3 January 2027'],
  ['monthly', '2026-11-21', 'November 2026'],
  ['yearly', '2026-11-21', '2026'],
])('the %s period of %s in words', (frequency, date, expected) => {
  expect(periodInWords(frequency, recapPeriod(frequency, dayOfDate(date)))).toBe(expected);
});

describe('what is wanted follows from active templates and webhooks', () => {
  const config = emptyConfig(1);
  const template = (fields: object) => ({ status: 'active', channel: 'email', ...fields }) as never;
  const webhook = (events: string[], status = 'active') => ({ events, status }) as never;
  const enabled = { ...config.streak, enabled: true };
  test.each([
    [{}, null],
    [{ notificationTemplates: [template({ type: 'recap', status: 'inactive' })] }, null],
    [{ webhooks: [webhook(['streak.lost'])] }, null],
    [{ webhooks: [webhook(['emails.recap_due'], 'inactive')] }, null],
    [{ notificationTemplates: [template({ type: 'streak_reminder' })] }, null],
    [{ streak: enabled, notificationTemplates: [template({ type: 'streak_reminder' })] }, { reminder: true }],
    [{ webhooks: [webhook(['emails.recap_due'])] }, { recaps: ['weekly'] }],
    [
      {
        webhooks: [webhook(['emails.recap_due', 'emails.achievement_due'])],
        notificationTemplates: [
          template({ type: 'recap', frequency: 'yearly' }),
          template({ type: 'recap', frequency: 'daily', channel: 'push' }),
          template({ type: 'reactivation' }),
        ],
      },
      { recaps: ['daily', 'yearly'], achievements: true, reactivation: true },
    ],
  ])('%j', (part, expected) => {
    const nothing = { achievements: false, reminder: false, recaps: [], reactivation: false };
    expect(compileNoticeRules({ ...config, ...part })).toEqual(expected && { ...nothing, ...expected });
  });
});
