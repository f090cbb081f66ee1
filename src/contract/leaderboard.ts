import Type from 'typebox';
import {
  LEADERBOARD_EVENTS_PER_READ_MAX,
  LEADERBOARD_PARTICIPANTS_MAX,
  USERS_IN_QUERY_MAX,
} from '../base/limits.ts';
import { LeagueInput, leagueEventFields, leaguePageFields, leagueUserFields } from './leagues.ts';
import { operation } from './operation.ts';
import {
  AttributePair,
  CalendarDate,
  calendarDate,
  countingFields,
  Instant,
  integer,
  keyPath,
  named,
  nullable,
  number,
  text,
  userAttributesQuery,
  userPath,
} from './schemas.ts';

const TimeOfDay = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$',
  description: 'Bound of the daily window in which events count, in the time zone of the user.',
});

/** Fields of a leaderboard. `start` and `end` are the first and last day of the run that is shown. */
const leaderboardFields = {
  id: Type.String(),
  name: Type.String(),
  key: Type.String(),
  rankBy: Type.Enum(['points', 'streak', 'metric']),
  breakdownAttribute: nullable(text('The first of `breakdownAttributes`.')),
  breakdownAttributes: Type.Array(Type.String(), {
    description: 'Keys of user attributes. Users with the same values form a group with its own ranking.',
  }),
  metricKey: Type.Optional(Type.String()),
  metricName: Type.Optional(Type.String()),
  pointsSystemKey: Type.Optional(Type.String()),
  pointsSystemName: Type.Optional(Type.String()),
  sortOrder: Type.Optional(
    Type.Enum(['desc', 'asc'], { description: '`asc`: lower values are better. Absent: `desc`.' }),
  ),
  aggregation: Type.Optional(
    Type.Enum(['sum', 'best', 'latest'], {
      description: 'Which values of events are the score of a run. Absent: `sum`.',
    }),
  ),
  ties: Type.Optional(
    Type.Enum(['arrival', 'shared'], {
      description: '`shared`: equal scores have the same rank, and the next rank skips. Absent: `arrival`.',
    }),
  ),
  eventAttributes: Type.Optional(
    Type.Array(AttributePair, { description: 'Only events with all of these attribute values count.' }),
  ),
  ...countingFields,
  league: Type.Optional(LeagueInput),
  timeZone: Type.Optional(
    text('By whose dates runs begin and end for everybody. Absent: by those of each user.'),
  ),
  paused: Type.Optional(
    Type.Literal(true, { description: 'Nothing counts until the leaderboard is resumed.' }),
  ),
  description: nullable(Type.String()),
  start: CalendarDate,
  end: nullable(CalendarDate),
  startTime: nullable(TimeOfDay),
  endTime: nullable(TimeOfDay),
  maxParticipants: nullable(Type.Integer()),
  runUnit: nullable(Type.Enum(['day', 'month', 'year'])),
  runInterval: nullable(Type.Integer()),
  status: Type.Enum(['active', 'scheduled', 'finished'], { description: 'On the date of the tenant.' }),
};

const placeFields = {
  rank: nullable(integer('null if the user is not ranked.')),
  value: nullable(Type.Number()),
};

export const LeaderboardResponse = named('LeaderboardResponse', leaderboardFields);
export type LeaderboardResponse = Type.Static<typeof LeaderboardResponse>;

export const LeaderboardRanking = named('LeaderboardRanking', {
  userId: Type.String(),
  userName: nullable(Type.String()),
  rank: integer('With `userIds`: among these users.'),
  value: Type.Number(),
  overallRank: Type.Optional(nullable(integer('With `userIds`: on the leaderboard; null without a place.'))),
});
export type LeaderboardRanking = Type.Static<typeof LeaderboardRanking>;

export const LeaderboardResponseWithRankings = named('LeaderboardResponseWithRankings', {
  ...leaderboardFields,
  ...leaguePageFields,
  filling: Type.Optional(
    Type.Literal(true, {
      description: 'All users are looked at, because some who are not ranked may be better. Else absent.',
    }),
  ),
  rankings: Type.Array(LeaderboardRanking),
});
export type LeaderboardResponseWithRankings = Type.Static<typeof LeaderboardResponseWithRankings>;

export const MetricEventLeaderboardResponse = named('MetricEventLeaderboardResponse', {
  ...leaderboardFields,
  rank: placeFields.rank,
  previousRank: nullable(Type.Integer()),
  threshold: number('Score of the last rank if the leaderboard is full, else 0.'),
  breakdownAttributeValue: Type.Optional(Type.String()),
  breakdownAttributeValues: Type.Optional(Type.Array(AttributePair)),
  ...leagueEventFields,
});
export type MetricEventLeaderboardResponse = Type.Static<typeof MetricEventLeaderboardResponse>;

export const LeaderboardEvent = named('LeaderboardEvent', {
  date: CalendarDate,
  timestamp: Instant,
  previousRank: nullable(Type.Integer()),
  rank: nullable(Type.Integer()),
  previousValue: nullable(Type.Number()),
  value: nullable(Type.Number()),
});
export type LeaderboardEvent = Type.Static<typeof LeaderboardEvent>;

export const UserLeaderboardResponse = named('UserLeaderboardResponse', {
  ...leaderboardFields,
  ...placeFields,
});
export type UserLeaderboardResponse = Type.Static<typeof UserLeaderboardResponse>;

export const UserLeaderboardResponseWithHistory = named('UserLeaderboardResponseWithHistory', {
  ...leaderboardFields,
  ...placeFields,
  ...leagueUserFields,
  history: Type.Array(LeaderboardEvent),
});
export type UserLeaderboardResponseWithHistory = Type.Static<typeof UserLeaderboardResponseWithHistory>;

const runQuery = {
  run: Type.Optional(calendarDate('First day of a run. Default: the current run.')),
};

export const ListLeaderboards = operation({
  name: 'listLeaderboards',
  route: 'GET /leaderboards',
  tag: 'Leaderboards',
  summary: 'List leaderboards',
  access: 'anyUser',
  isPublished: true,
  query: Type.Object({ includeFinished: Type.Boolean({ default: false }) }),
  responses: { 200: Type.Array(LeaderboardResponse) },
});

const rankingsQuery = {
  offset: Type.Integer({ minimum: 0, maximum: LEADERBOARD_PARTICIPANTS_MAX, default: 0 }),
  limit: Type.Integer({ minimum: 0, maximum: LEADERBOARD_PARTICIPANTS_MAX, default: 10 }),
  ...runQuery,
  userId: Type.Optional(text('Makes `offset` count from the place of this user.')),
  neighbours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LEADERBOARD_PARTICIPANTS_MAX,
      description:
        'Replaces `offset` and `limit`: answers the user that `userId` names with up to this many places on either side.',
    }),
  ),
  ...userAttributesQuery,
};

export const GetLeaderboard = operation({
  name: 'getLeaderboard',
  route: 'GET /leaderboards/{key}',
  tag: 'Leaderboards',
  summary: 'Get rankings',
  description:
    'A leaderboard by attributes has a ranking for each group of users. `userAttributes` names the group. Without it, the group is ' +
    'that of the user that `userId` names, or of the user of an application key. A league is read by `userId` alone.',
  access: 'anyUser',
  isPublished: true,
  path: Type.Object(keyPath('leaderboard')),
  query: Type.Object({
    ...rankingsQuery,
    userIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: USERS_IN_QUERY_MAX,
        description:
          'Ranks these users among themselves, also those without a place. Takes only `run` beside it.',
      }),
    ),
  }),
  responses: { 200: LeaderboardResponseWithRankings },
});

export const QueryLeaderboard = operation({
  name: 'queryLeaderboard',
  route: 'POST /leaderboards/{key}/query',
  tag: 'Leaderboards',
  summary: 'Rank some users among themselves',
  description:
    'Ranks users by their scores in a run, also users without a place on the leaderboard. Unknown users, users without a score ' +
    'and users who are not shown on the leaderboard are left out, except the user of the key.',
  access: 'anyUser',
  role: 'read',
  path: Type.Object(keyPath('leaderboard')),
  request: Type.Object({
    userIds: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: LEADERBOARD_PARTICIPANTS_MAX,
      description: 'Ids of users.',
    }),
    ...runQuery,
  }),
  responses: { 200: LeaderboardResponseWithRankings },
});

export const WatchLeaderboard = operation({
  name: 'watchLeaderboard',
  route: 'GET /leaderboards/{key}/live',
  tag: 'Leaderboards',
  summary: 'Watch rankings',
  description:
    'Sends the rankings at once and whenever they change, as server-sent events, or over a WebSocket if the client asks for ' +
    'the upgrade. A client that accepts `text/event-stream` gets a refusal as an event `error` in a stream with status 200.',
  access: 'anyUser',
  path: Type.Object(keyPath('leaderboard')),
  query: Type.Object({
    ...rankingsQuery,
    access_token: Type.Optional(
      text('User token, for clients that cannot set headers: EventSource and WebSocket.'),
    ),
    apiKey: Type.Optional(text('Application key, for the same clients.')),
    tenantId: Type.Optional(text('Replaces the header `Tenant-ID` for such clients.')),
  }),
  responses: { 200: LeaderboardResponseWithRankings },
  contentType: 'text/event-stream',
});

export const GetUserLeaderboard = operation({
  name: 'getUserLeaderboard',
  route: 'GET /users/{id}/leaderboards/{key}',
  tag: 'Leaderboards',
  summary: "Get a user's place on a leaderboard",
  access: 'ownUser',
  isPublished: true,
  path: Type.Object({ ...userPath, ...keyPath('leaderboard') }),
  query: Type.Object({
    ...runQuery,
    numEvents: Type.Integer({
      minimum: 0,
      maximum: LEADERBOARD_EVENTS_PER_READ_MAX,
      default: 10,
      description: 'Number of latest changes to answer.',
    }),
  }),
  responses: { 200: UserLeaderboardResponseWithHistory },
});
