import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { LeagueTierName } from './leagues.ts';
import { operation } from './operation.ts';
import {
  AttributePair,
  CalendarDate,
  calendarDate,
  Instant,
  integer,
  named,
  nullable,
  text,
  Uuid,
} from './schemas.ts';

const Outcome = Type.Enum(['promoted', 'stayed', 'demoted']);
const ofLeague = {
  tag: 'Leaderboards',
  path: Type.Object({ id: Uuid }),
} as const;

const LeagueTierState = Type.Object({
  key: Type.String(),
  name: Type.String(),
  position: integer('1 is the lowest tier.'),
  groups: integer('Groups of the present run.'),
  users: integer('Users whose tier the last final run has set.'),
  promoted: integer('Users of this tier who went up at the end of the last final run.'),
  stayed: integer('Users of this tier who had a rank in the last final run and stayed.'),
  demoted: integer('Users of this tier who had a rank in the last final run and went down.'),
  idle: integer('Users who have this tier now and had no rank in the last final run.'),
});

export const GetLeague = operation({
  name: 'getLeague',
  route: 'GET /leaderboards/{id}/league',
  ...ofLeague,
  summary: 'Get the tiers of a league',
  description: 'The tiers of a league, the highest first, with what the last final run did.',
  responses: {
    200: named('League', {
      run: nullable(CalendarDate),
      lastRun: nullable(Type.Object({ start: CalendarDate, end: CalendarDate, finalized: Instant })),
      tiers: Type.Array(LeagueTierState),
    }),
  },
});

const LeagueGroup = named('LeagueGroup', {
  tier: LeagueTierName,
  group: text('Name of the group within its tier.'),
  breakdownAttributeValues: Type.Array(AttributePair),
  members: integer('Users with a rank.'),
  first: nullable(text('Id of the first user.')),
});

export const ListLeagueGroups = operation({
  name: 'listLeagueGroups',
  route: 'GET /leaderboards/{id}/league-groups',
  ...ofLeague,
  summary: 'List the groups of a league',
  description:
    'The groups of the present run: the highest tier first, in the order in which they were filled.',
  query: Type.Object({
    tier: Type.Optional(text('Key of a tier. Default: all tiers.')),
    ...pageQuery.properties,
  }),
  responses: { 200: Type.Array(LeagueGroup) },
});

const LeagueResult = named('LeagueResult', {
  userId: Type.String(),
  userName: nullable(Type.String()),
  tier: LeagueTierName,
  group: Type.String(),
  rank: Type.Integer(),
  value: Type.Number(),
  outcome: Outcome,
});

export const ListLeagueResults = operation({
  name: 'listLeagueResults',
  route: 'GET /leaderboards/{id}/league-results',
  ...ofLeague,
  summary: 'List how a run of a league ended for its users',
  description:
    'Users with a rank in a final run, group by group in the order of ranks. Erased users leave a gap.',
  query: Type.Object({
    run: Type.Optional(calendarDate('First day of a run. Default: the last final run.')),
    tier: Type.Optional(text('Key of the tier in the run. Default: all tiers.')),
    outcome: Type.Optional(Outcome),
    ...pageQuery.properties,
  }),
  responses: { 200: Type.Array(LeagueResult) },
});
