import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { operation } from './operation.ts';
import { AttributePair, CalendarDate, Instant, Uuid } from './schemas.ts';

export const LeaderboardWinner = Type.Object(
  {
    run: Type.Object({ start: CalendarDate, end: CalendarDate, finalized: Instant }),
    breakdownAttributeValues: Type.Array(AttributePair, { description: 'Of the group; empty without breakdown.' }),
    rank: Type.Integer(),
    userId: Type.String(),
    value: Type.Number(),
  },
  { $id: 'LeaderboardWinner' },
);
export type LeaderboardWinner = Type.Static<typeof LeaderboardWinner>;

export const ListWinners = operation({
  tag: 'Leaderboards',
  summary: 'List the winners of a leaderboard',
  description:
    'The first three of every group of every run whose rankings are final, 12 hours after its end in UTC: the latest run ' +
    'first. Who has been erased leaves a gap.',
  access: 'admin',
  path: Type.Object({ id: Uuid }),
  query: Type.Object({
    run: Type.Optional(Type.String({ format: 'date', description: 'First day of a run; all by default.' })),
    ...pageQuery.properties,
  }),
  responses: { 200: Type.Array(LeaderboardWinner) },
  mayMiss: true,
});
