import Type from 'typebox';
import { operation } from './operation.ts';
import { boolean, Instant, named, nullable, text } from './schemas.ts';

export const TestClock = named('TestClock', { now: Instant, stopped: boolean('Whether time stands still.') });
export type TestClock = Type.Static<typeof TestClock>;

export const MovedTestClock = named('MovedTestClock', {
  ...TestClock.properties,
  notifications: Type.Array(
    Type.Object({
      type: Type.String(),
      channel: Type.String(),
      status: Type.Enum(['sent', 'suppressed', 'failed', 'pending']),
      reason: nullable(text('Why they were suppressed.')),
      count: Type.Integer(),
    }),
    {
      description: 'Emails and push notifications that became due by the move. Empty without `awaitHistory`.',
    },
  ),
});

export const GetTestClock = operation({
  name: 'getTestClock',
  route: 'GET /test-clock',
  tag: 'Test clock',
  summary: 'Get the time of the service',
  scope: 'account',
  responses: { 200: TestClock },
  mayNotExist: true,
});

export const MoveTestClock = operation({
  name: 'moveTestClock',
  route: 'POST /test-clock',
  role: 'operate',
  tag: 'Test clock',
  summary: 'Move the time of the service forward',
  description:
    'Time never goes back. The call answers when everything that becomes due until then has happened and is in the history.',
  scope: 'account',
  request: Type.Object(
    {
      now: text('ISO 8601 instant, such as 2026-12-24T18:00:00Z.'),
      stopped: Type.Optional(
        boolean('If true, time stands still until it is moved again. Otherwise it runs on.'),
      ),
      awaitHistory: Type.Optional(
        boolean('If false, the call does not wait until everything is in the history.'),
      ),
    },
    { examples: [{ now: '2026-12-24T18:00:00Z' }] },
  ),
  responses: { 200: MovedTestClock },
  mayNotExist: true,
});
