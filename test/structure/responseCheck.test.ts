import { expect, test } from 'vitest';
import { departure } from '../support/responseCheck.ts';

const streak = {
  length: 1,
  frequency: 'daily',
  started: '2026-11-21',
  periodStart: '2026-11-21',
  periodEnd: '2026-11-21',
  expires: '2026-11-22',
  extended: '2026-11-21T10:00:00.000Z',
  streakHistory: [],
  pauses: [],
};
const PATH = '/v1/users/a%2Fb/streak';

test('a response that matches its declaration passes', () => {
  expect(departure('GET', PATH, 200, streak)).toBeNull();
  expect(departure('GET', PATH.replace('/v1', '/api'), 200, { ...streak, freezes: 2 })).toBeNull();
  expect(departure('GET', PATH, 404, { error: 'User a/b does not exist' })).toBeNull();
  expect(
    departure('GET', '/admin/v1/test-clock', 200, { now: '2026-11-21T10:00:00.000Z', stopped: false }),
  ).toBeNull();
  expect(departure('GET', '/v1/nowhere', 404, { error: 'There is no GET /v1/nowhere' })).toBeNull();
});

test.each<[string, string, string, number, unknown, RegExp]>([
  ['an undeclared property', 'GET', PATH, 200, { ...streak, days: 1 }, /additional/],
  ['an undeclared property deep inside', 'GET', PATH, 200, { ...streak, pauses: [{ why: 1 }] }, /pauses\/0/],
  ['a missing property', 'GET', PATH, 200, { ...streak, pauses: undefined }, /required|pauses/],
  ['a wrong type', 'GET', PATH, 200, { ...streak, length: '1' }, /length/],
  ['a wrong format', 'GET', PATH, 200, { ...streak, started: '2026-02-30' }, /started/],
  ['a status that is not declared', 'GET', PATH, 201, streak, /status 201/],
  ['an internal error', 'GET', PATH, 500, { error: 'Internal error' }, /status 500/],
  ['an error that is none', 'GET', PATH, 404, {}, /error/],
  ['an answer where there is no route', 'GET', '/v1/nowhere', 200, {}, /no route/],
  ['another method', 'DELETE', PATH, 200, streak, /no route/],
])('%s is found', (_name, method, path, status, body, message) => {
  expect(departure(method, path, status, body)).toMatch(message);
});
