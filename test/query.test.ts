import { describe, expect, test } from 'vitest';
import { Query } from '../src/http/query.ts';
import { dayOfDate } from '../src/rules/calendar.ts';

type Read = (query: Query) => unknown;

const integer: Read = (query) => query.integer('awards', 10, 1, 100);
const boolean: Read = (query) => query.boolean('includeFinished');
const choice: Read = (query) => query.choice('aggregation', ['daily', 'weekly']);
const day: Read = (query) => query.day('run');
const range: Read = (query) => query.dateRange();
const list: Read = (query) => query.list('userIds', 3);
const attributes: Read = (query) => query.userAttributes();

const days = (from: string, to: string) => ({ from: dayOfDate(from), to: dayOfDate(to) });

describe('a query parameter', () => {
  test.each<[string, Read, unknown]>([
    ['', integer, 10],
    ['other=x&awards=100', integer, 100],
    ['', boolean, false],
    ['includeFinished=false', boolean, false],
    ['includeFinished=true', boolean, true],
    ['aggregation=weekly', choice, 'weekly'],
    ['', (query) => query.choice('type', ['active', 'longest'], 'active'), 'active'],
    ['', day, null],
    ['run=2024-02-29', day, dayOfDate('2024-02-29')],
    ['startDate=2026-01-01&endDate=2026-01-01', range, days('2026-01-01', '2026-01-01')],
    ['start_date=2025-01-01&end_date=2026-02-04', range, days('2025-01-01', '2026-02-04')],
    ['startDate=2026-01-01&end_date=2026-01-02', range, days('2026-01-01', '2026-01-02')],
    ['userIds=a', list, ['a']],
    ['userIds=a,b,c', list, ['a', 'b', 'c']],
    ['userIds=a%2Cb&userIds=c', list, ['a,b', 'c']],
    ['userIds[]=a%2Cb&userIds%5B%5D=%C3%A9+%2B', list, ['a,b', 'é +']],
    ['', attributes, null],
    ['userAttributes=city:london', attributes, new Map([['city', 'london']])],
    [
      'userAttributes=city%3As%C3%A3o+paulo,plan:a:b',
      attributes,
      new Map([
        ['city', 'são paulo'],
        ['plan', 'a:b'],
      ]),
    ],
  ])('%s is read', (text, read, value) => {
    expect(read(new Query(text))).toEqual(value);
  });

  test.each<[string, Read, RegExp]>([
    ['awards=0', integer, /^awards must be a whole number from 1 to 100$/],
    ['awards=101', integer, /^awards/],
    ['awards=-1', integer, /^awards/],
    ['awards=1e1', integer, /^awards/],
    ['awards=1.5', integer, /^awards/],
    ['awards=', integer, /^awards/],
    ['awards=99999999999999999999', integer, /^awards/],
    ['awards=5&awards=5', integer, /^awards must be given once$/],
    ['includeFinished=1', boolean, /^includeFinished must be true or false$/],
    ['includeFinished', boolean, /^includeFinished/],
    ['aggregation=hourly', choice, /^aggregation must be one of daily, weekly$/],
    ['', choice, /^aggregation/],
    ['aggregation=', choice, /^aggregation/],
    ['run=2026-02-29', day, /^run must be a date that exists/],
    ['run=2026-13-01', day, /^run/],
    ['run=2026-1-1', day, /^run/],
    ['run=tomorrow', day, /^run/],
    ['endDate=2026-01-01', range, /^startDate is required$/],
    ['start_date=2026-01-01', range, /^endDate is required$/],
    ['startDate=2026-01-02&endDate=2026-01-01', range, /^endDate must not be before startDate$/],
    ['start_date=2026-02-30&end_date=2026-03-01', range, /^start_date must be a date/],
    ['startDate=2025-01-01&endDate=2026-02-05', range, /^endDate must be less than 400 days after startDate$/],
    ['startDate=2026-01-01&start_date=2026-01-01&endDate=2026-01-02', range, /^startDate and start_date are the same$/],
    ['', list, /^userIds must be 1 to 3 values/],
    ['userIds=', list, /^userIds/],
    ['userIds=a,,b', list, /^userIds/],
    ['userIds=a,b,c,d', list, /^userIds/],
    ['userIds=a&userIds=b&userIds[]=c&userIds[]=d', list, /^userIds/],
    ['userAttributes=city', attributes, /^userAttributes must be pairs/],
    ['userAttributes=:london', attributes, /^userAttributes/],
    ['userAttributes=', attributes, /^userAttributes/],
    ['userAttributes=city:a,', attributes, /^userAttributes/],
    ['userAttributes=city:a,city:b', attributes, /^userAttributes/],
    ['userAttributes=city:a&userAttributes=plan:b', attributes, /^userAttributes must be given once$/],
  ])('%s is refused by name', (text, read, message) => {
    expect(() => read(new Query(text))).toThrow(
      expect.objectContaining({ code: 'invalid', message: expect.stringMatching(message) }),
    );
  });

  test.each(['a=%ff', 'a=%', '%zz=1', 'a=%00'])('%s is malformed', (text) => {
    expect(() => new Query(text)).toThrow(expect.objectContaining({ code: 'malformed' }));
  });
});
