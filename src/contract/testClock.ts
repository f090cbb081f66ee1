import Type from 'typebox';
import { operation } from './operation.ts';
import { Instant, nullable } from './schemas.ts';

export const TestClock = Type.Object(
  { now: Instant, stopped: Type.Boolean({ description: 'Whether time stands still.' }) },
  { $id: 'TestClock' },
);
export type TestClock = Type.Static<typeof TestClock>;

export const MovedTestClock = Type.Object(
  {
    ...TestClock.properties,
    notifications: Type.Array(
      Type.Object({
        type: Type.String(),
        channel: Type.String(),
        status: Type.Enum(['sent', 'suppressed', 'failed', 'pending']),
        reason: nullable(Type.String({ description: 'Why they were suppressed.' })),
        count: Type.Integer(),
      }),
      {
        description:
          'Emails and push notifications that became due by the move. Empty without `awaitHistory`.',
      },
    ),
  },
  { $id: 'MovedTestClock' },
);

export const GetTestClock = operation({
  tag: 'Test clock',
  summary: 'Get the time of the service',
  access: 'admin',
  isOfAccount: true,
  responses: { 200: TestClock },
  mayMiss: true,
});

export const MoveTestClock = operation({
  role: 'operate',
  tag: 'Test clock',
  summary: 'Move the time of the service forward',
  description:
    'Time never goes back. The call answers when everything that becomes due until then has happened and is in the history.',
  access: 'admin',
  isOfAccount: true,
  request: Type.Object(
    {
      now: Type.String({ description: 'ISO 8601 instant, such as 2026-12-24T18:00:00Z.' }),
      stopped: Type.Optional(
        Type.Boolean({
          description: 'If true, time stands still until it is moved again. Otherwise it runs on.',
        }),
      ),
      awaitHistory: Type.Optional(
        Type.Boolean({
          description: 'If false, the call does not wait until everything is in the history.',
        }),
      ),
    },
    { examples: [{ now: '2026-12-24T18:00:00Z' }] },
  ),
  responses: { 200: MovedTestClock },
  mayMiss: true,
});
