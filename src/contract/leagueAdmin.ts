import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { LeagueTierName } from './leagues.ts';
import { operation } from './operation.ts';
import { AttributePair, CalendarDate, Instant, nullable, Uuid } from './schemas.ts';

const Outcome = Type.Enum(['promoted', 'stayed', 'demoted']);
const ofLeague = {
  tag: 'Leaderboards',
  access: 'admin',
  path: Type.Object({ id: Uuid }),
  mayMiss: true,
} as const;
const Count = (description: string) => Type.Integer({ description });

const LeagueTierState = Type.Object({
  key: Type.String(),
  name: Type.String(),
  position: Type.Integer({ description: '1 is the lowest tier.' }),
  groups: Count('Groups of the present run.'),
  users: Count('Users whose tier the last final run has set.'),
  promoted: Count('Users of this tier who went up at the end of the last final run.'),
  stayed: Count('Users of this tier who had a rank in the last final run and stayed.'),
  demoted: Count('Users of this tier who had a rank in the last final run and went down.'),
  idle: Count('Users who have this tier now and had no rank in the last final run.'),
});
export type LeagueTierState = Type.Static<typeof LeagueTierState>;

export const GetLeague = operation({
  ...ofLeague,
  summary: 'Get the tiers of a league',
  description: 'The tiers of a league, the highest first, with what the last final run did.',
  responses: {
    200: Type.Object(
      {
        run: nullable(CalendarDate),
        lastRun: nullable(Type.Object({ start: CalendarDate, end: CalendarDate, finalized: Instant })),
        tiers: Type.Array(LeagueTierState),
      },
      { $id: 'League' },
    ),
  },
});

export const LeagueGroup = Type.Object(
  {
    tier: LeagueTierName,
    group: Type.String({ description: 'Name of the group within its tier.' }),
    breakdownAttributeValues: Type.Array(AttributePair),
    members: Count('Users with a rank.'),
    first: nullable(Type.String({ description: 'Id of the first user.' })),
  },
  { $id: 'LeagueGroup' },
);
export type LeagueGroup = Type.Static<typeof LeagueGroup>;

export const ListLeagueGroups = operation({
  ...ofLeague,
  summary: 'List the groups of a league',
  description:
    'The groups of the present run: the highest tier first, in the order in which they were filled.',
  query: Type.Object({
    tier: Type.Optional(Type.String({ description: 'Key of a tier. Default: all tiers.' })),
    ...pageQuery.properties,
  }),
  responses: { 200: Type.Array(LeagueGroup) },
});

export const LeagueResult = Type.Object(
  {
    userId: Type.String(),
    userName: nullable(Type.String()),
    tier: LeagueTierName,
    group: Type.String(),
    rank: Type.Integer(),
    value: Type.Number(),
    outcome: Outcome,
  },
  { $id: 'LeagueResult' },
);
export type LeagueResult = Type.Static<typeof LeagueResult>;

export const ListLeagueResults = operation({
  ...ofLeague,
  summary: 'List how a run of a league ended for its users',
  description:
    'Users with a rank in a final run, group by group in the order of ranks. Erased users leave a gap.',
  query: Type.Object({
    run: Type.Optional(
      Type.String({ format: 'date', description: 'First day of a run. Default: the last final run.' }),
    ),
    tier: Type.Optional(Type.String({ description: 'Key of the tier in the run. Default: all tiers.' })),
    outcome: Type.Optional(Outcome),
    ...pageQuery.properties,
  }),
  responses: { 200: Type.Array(LeagueResult) },
});
