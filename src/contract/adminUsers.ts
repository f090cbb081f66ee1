import Type from 'typebox';
import { operation } from './operation.ts';
import { Instant, userPath } from './schemas.ts';
import { User } from './user.ts';

export const EraseUser = operation({
  tag: 'Users',
  summary: 'Erase a user',
  description:
    'Removes everything that is held of the user: profile, state, places on leaderboards, history, idempotency keys, application ' +
    'keys. 200 when that is done; 202 when it will be done without the caller. Until then the id cannot be used (503); who comes ' +
    'with it later is somebody new.',
  access: 'admin',
  path: Type.Object(userPath),
  responses: {
    200: Type.Object({ id: Type.String(), status: Type.Literal('erased') }),
    202: Type.Object({ id: Type.String(), status: Type.Literal('accepted') }),
  },
  mayMiss: true,
});

const Rows = Type.Array(Type.Record(Type.String(), Type.Unknown()));

export const UserExport = Type.Object(
  {
    user: User,
    state: Type.Object({
      counters: Type.Array(
        Type.Object({
          metric: Type.String(),
          eventAttributes: Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
          total: Type.Number(),
        }),
      ),
      points: Type.Record(Type.String(), Type.Number(), { description: 'Totals by key of the points system.' }),
      achievements: Type.Record(Type.String(), Instant, { description: 'When each was completed, by key.' }),
      leaderboards: Type.Array(
        Type.Object({
          leaderboard: Type.String(),
          run: Type.String({ format: 'date' }),
          score: Type.Number(),
          isRanked: Type.Boolean(),
        }),
      ),
      streaks: Type.Record(Type.String(), Type.Unknown(), {
        description: 'By frequency; days and periods since 1970.',
      }),
      streakFreezes: Type.Integer(),
      streakPauses: Type.Array(Type.Unknown()),
    }),
    records: Type.Record(Type.String(), Rows, {
      description:
        'All rows of the user, by table. What is configured is named by its number, large numbers and dates are texts.',
    }),
  },
  { $id: 'UserExport' },
);
export type UserExport = Type.Static<typeof UserExport>;

export const ExportUser = operation({
  tag: 'Users',
  summary: 'Export a user',
  description: 'Everything that is held of the user.',
  access: 'admin',
  path: Type.Object(userPath),
  responses: { 200: UserExport },
  mayMiss: true,
});
