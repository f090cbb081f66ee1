import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { operation } from './operation.ts';
import { AttributePair, CalendarDate, Instant, nullable, Uuid } from './schemas.ts';

export const LeaderboardWinner = Type.Object(
  {
    run: Type.Object({ start: CalendarDate, end: CalendarDate, finalized: Instant }),
    breakdownAttributeValues: Type.Array(AttributePair, {
      description: 'Attribute values of the group. Empty without breakdown attributes.',
    }),
    rank: Type.Integer(),
    userId: Type.String(),
    userName: nullable(Type.String()),
    value: Type.Number(),
  },
  { $id: 'LeaderboardWinner' },
);
export type LeaderboardWinner = Type.Static<typeof LeaderboardWinner>;

export const ListWinners = operation({
  tag: 'Leaderboards',
  summary: 'List the winners of a leaderboard',
  description:
    'The first three users of every group of every final run, latest run first. A run becomes final 12 hours after its ' +
    'end in UTC. Erased users leave a gap.',
  access: 'admin',
  path: Type.Object({ id: Uuid }),
  query: Type.Object({
    run: Type.Optional(
      Type.String({ format: 'date', description: 'First day of a run. Default: all runs.' }),
    ),
    ...pageQuery.properties,
  }),
  responses: { 200: Type.Array(LeaderboardWinner) },
  mayMiss: true,
});
