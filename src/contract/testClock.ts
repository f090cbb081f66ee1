import Type from 'typebox';
import { operation } from './operation.ts';
import { Instant } from './schemas.ts';

export const TestClock = Type.Object(
  { now: Instant, stopped: Type.Boolean({ description: 'Whether it stands still.' }) },
  { $id: 'TestClock' },
);
export type TestClock = Type.Static<typeof TestClock>;

export const GetTestClock = operation({
  tag: 'Test clock',
  summary: 'Get the time of the service',
  access: 'admin',
  isOfAccount: true,
  responses: { 200: TestClock },
  mayMiss: true,
});

export const MoveTestClock = operation({
  tag: 'Test clock',
  summary: 'Move the time of the service forward',
  description: 'Never back. Answers when everything that falls due until then has happened and is in the history.',
  access: 'admin',
  isOfAccount: true,
  request: Type.Object(
    {
      now: Type.String({ description: 'ISO 8601 instant, such as 2026-12-24T18:00:00Z.' }),
      stopped: Type.Optional(
        Type.Boolean({
          description: 'Whether time stands still there until it is moved again, instead of running on.',
        }),
      ),
      awaitHistory: Type.Optional(
        Type.Boolean({
          description: 'false: answer when everything has happened, although it may not be in the history yet.',
        }),
      ),
    },
    { examples: [{ now: '2026-12-24T18:00:00Z' }] },
  ),
  responses: { 200: TestClock },
  mayMiss: true,
});
