import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import {
  createParameterReader,
  givenInQuery,
  parseUserAttributes,
} from '../../src/http/request/parameters.ts';

const read = createParameterReader(
  Type.Object({
    awards: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
    year: Type.Optional(Type.Integer({ minimum: 1 })),
    includeFinished: Type.Boolean({ default: false }),
    type: Type.Enum(['active', 'longest'], { default: 'active' }),
    run: Type.Optional(Type.String({ format: 'date' })),
    userIds: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 3 })),
    userAttributes: Type.Optional(Type.String()),
  }),
);
const readRequired = createParameterReader(
  Type.Object({
    aggregation: Type.Enum(['daily', 'weekly']),
    startDate: Type.String({ format: 'date' }),
    ids: Type.Array(Type.String({ format: 'uuid' }), { minItems: 1, maxItems: 2 }),
  }),
);
const DEFAULTS = { awards: 10, includeFinished: false, type: 'active' };
const ID = '0190b2c0-0000-7000-8000-000000000001';
const REQUIRED = `aggregation=daily&startDate=2026-01-01&ids=${ID}`;

describe('a query parameter', () => {
  test.each<[string, object]>([
    ['', {}],
    ['other=x&awards=100', { awards: 100 }],
    ['year=2026', { year: 2026 }],
    ['includeFinished=false', { includeFinished: false }],
    ['includeFinished=true', { includeFinished: true }],
    ['include_finished=true', { includeFinished: true }],
    ['type=longest', { type: 'longest' }],
    ['run=2024-02-29', { run: '2024-02-29' }],
    ['userIds=a', { userIds: ['a'] }],
    ['userIds=a,b,c', { userIds: ['a', 'b', 'c'] }],
    ['userIds=a%2Cb&userIds=c', { userIds: ['a,b', 'c'] }],
    ['userIds[]=a%2Cb&userIds%5B%5D=%C3%A9+%2B', { userIds: ['a,b', 'é +'] }],
    ['userIds[]=a%2Cb', { userIds: ['a,b'] }],
    ['userIds=a%2Cb', { userIds: ['a', 'b'] }],
    ['userAttributes=city%3As%C3%A3o+paulo', { userAttributes: 'city:são paulo' }],
  ])('%s is read', (text, values) => {
    expect(read(givenInQuery(text))).toEqual({ ...DEFAULTS, ...values });
  });

  test('that is required is read', () => {
    expect(readRequired(givenInQuery(REQUIRED))).toEqual({
      aggregation: 'daily',
      startDate: '2026-01-01',
      ids: [ID],
    });
    expect(readRequired(givenInQuery(REQUIRED.replace('startDate', 'start_date'))).startDate).toBe(
      '2026-01-01',
    );
  });

  test.each<[string, typeof read | typeof readRequired, RegExp]>([
    ['awards=0', read, /^awards must be a whole number from 1 to 100$/],
    ['awards=101', read, /^awards/],
    ['awards=-1', read, /^awards/],
    ['awards=1e1', read, /^awards/],
    ['awards=1.5', read, /^awards/],
    ['awards=', read, /^awards/],
    ['awards=99999999999999999999', read, /^awards/],
    ['awards=5&awards=5', read, /^awards must be given once$/],
    ['year=0', read, /^year must be a whole number of at least 1$/],
    ['includeFinished=1', read, /^includeFinished must be true or false$/],
    ['includeFinished', read, /^includeFinished/],
    [
      'includeFinished=true&include_finished=true',
      read,
      /^includeFinished and include_finished must be given once$/,
    ],
    ['include_finished=x', read, /^include_finished must be true or false$/],
    ['type=hourly', read, /^type must be one of active, longest$/],
    ['type=', read, /^type/],
    ['run=2026-02-29', read, /^run must be a date that exists/],
    ['run=2026-13-01', read, /^run/],
    ['run=2026-1-1', read, /^run/],
    ['run=tomorrow', read, /^run/],
    ['userIds=', read, /^userIds must be 1 to 3 values/],
    ['userIds=a,,b', read, /^userIds/],
    ['userIds=a,b,c,d', read, /^userIds/],
    ['userIds=a&userIds=b&userIds[]=c&userIds[]=d', read, /^userIds/],
    ['userAttributes=city:a&userAttributes=plan:b', read, /^userAttributes must be given once$/],
    ['', readRequired, /^aggregation is required: one of daily, weekly$/],
    ['aggregation=daily', readRequired, /^startDate is required: a date/],
    ['aggregation=daily&startDate=2026-01-01', readRequired, /^ids is required: 1 to 2 values, each a UUID$/],
    [REQUIRED.replace(ID, 'x'), readRequired, /^ids must be 1 to 2 values, each a UUID$/],
  ])('%s is refused by name', (text, reader, message) => {
    expect(() => reader(givenInQuery(text))).toThrow(
      expect.objectContaining({ code: 'invalid', message: expect.stringMatching(message) }),
    );
  });

  test.each(['a=%ff', 'a=%', '%zz=1', 'a=%00'])('%s is malformed', (text) => {
    expect(() => givenInQuery(text)).toThrow(expect.objectContaining({ code: 'malformed' }));
  });
});

describe('user attributes', () => {
  test('are pairs that must all match', () => {
    expect(parseUserAttributes(undefined)).toBeNull();
    expect(parseUserAttributes('city:london')).toEqual(new Map([['city', 'london']]));
    expect(parseUserAttributes('city:são paulo,plan:a:b')).toEqual(
      new Map([
        ['city', 'são paulo'],
        ['plan', 'a:b'],
      ]),
    );
  });

  test.each(['city', ':london', '', 'city:a,', 'city:a,city:b'])('"%s" is refused', (text) => {
    expect(() => parseUserAttributes(text)).toThrow(
      expect.objectContaining({
        code: 'invalid',
        message: expect.stringMatching(/^userAttributes must be pairs/),
      }),
    );
  });
});
