import { expect, test } from 'vitest';
import { asServiceError } from '../../src/engine/stores/availability.ts';

const failure = (message: string, fields: object = {}): Error => Object.assign(new Error(message), fields);

test.each<[string, Error]>([
  ['it refuses connections', failure('connect ECONNREFUSED 127.0.0.1:5432', { code: 'ECONNREFUSED' })],
  ['a pipe broke; EPIPE is no SQLSTATE', failure('write EPIPE', { code: 'EPIPE' })],
  ['it closed the connection', failure('Connection terminated unexpectedly')],
  ['it did not answer in time', failure('Query read timeout')],
  ['it is shutting down', failure('terminating connection', { code: '57P01' })],
  ['it has no connections left', failure('too many clients', { code: '53300' })],
  ['a lock was not available in time', failure('lock timeout', { code: '55P03' })],
  [
    'the database accepts no connections',
    failure('database "laurel" is not currently accepting connections', { code: '55000' }),
  ],
  ['it is read-only', failure('cannot execute INSERT in a read-only transaction', { code: '25006' })],
])('an outage of PostgreSQL is answered with 503 and its name: %s', (_, error) => {
  expect(asServiceError(error)).toMatchObject({
    code: 'unavailable',
    message: 'PostgreSQL is not available; try again',
  });
});

test.each<[string, Error]>([
  ['it is loading', failure('LOADING Redis is loading the dataset in memory', { name: 'ReplyError' })],
  [
    'it is read-only inside a script',
    failure('READONLY script: x, on @user_script:1.', { name: 'ReplyError' }),
  ],
  ['it is full', failure("OOM command not allowed when used memory > 'maxmemory'.", { name: 'ReplyError' })],
  ['there is no connection', failure("Stream isn't writeable and enableOfflineQueue options is false")],
  ['the connection was lost', failure('Reached the max retries', { name: 'MaxRetriesPerRequestError' })],
])('an outage of Redis is answered with 503 and its name: %s', (_, error) => {
  expect(asServiceError(error)).toMatchObject({
    code: 'unavailable',
    message: 'Redis is not available; try again',
  });
});

test.each<[string, Error]>([
  ['a unique key is violated', failure('duplicate key', { code: '23505' })],
  ['a statement does not fit the state of an object', failure('currval is not defined', { code: '55000' })],
  [
    'a script has an error',
    failure('ERR user_script:3: attempt to index a nil value', { name: 'ReplyError' }),
  ],
  ['a bug', new TypeError('x is not a function')],
])('an error that is no outage stays itself: %s', (_, error) => {
  expect(asServiceError(error)).toBe(error);
});
