import Type from 'typebox';
import type { ResourceSchemas } from './admin.ts';
import {
  AttributeFilter,
  EndDate,
  EXAMPLE_ID,
  idOf,
  Key,
  Name,
  optional,
  Text,
  TimeOfDay,
  updateOf,
} from './adminFields.ts';
import { withoutBounds } from './configFields.ts';
import { LeagueInput, REWARD_PROMOTED, REWARD_TIER } from './leagues.ts';
import { CalendarDate, nullable, Uuid } from './schemas.ts';

const orderFields = {
  sortOrder: Type.Optional(
    Type.Enum(['desc', 'asc'], {
      description:
        'Whether higher (`desc`) or lower values are better. Default: `desc`. `asc` needs `aggregation` `best` or `latest`.',
    }),
  ),
  aggregation: Type.Optional(
    Type.Enum(['sum', 'best', 'latest'], {
      description:
        'Which score a run has: the sum of the values of its events, the best one, or the latest one. Default: `sum`. The others with `rankBy: metric` only.',
    }),
  ),
  ties: Type.Optional(
    Type.Enum(['arrival', 'shared'], {
      description: 'Whether equal scores rank by arrival or share a rank. Default: `arrival`.',
    }),
  ),
};

const RewardField = Type.Object({
  from: optional(Type.Number({ description: 'First rank, from 1. Needed without `tier` and `promoted`.' })),
  to: optional(Type.Number({ description: 'Last rank. Needed with `from`.' })),
  tier: optional(Type.String({ description: REWARD_TIER })),
  promoted: optional(Type.Boolean({ description: REWARD_PROMOTED })),
  points: optional(
    Type.Object({
      systemId: idOf('the points system'),
      amount: Type.Number({ description: 'Points. Boosts do not apply.' }),
    }),
  ),
  achievementId: optional(idOf('the achievement, which has the trigger `api`. Instead of `points`')),
});

const LeaderboardStatus = Type.Enum(['inactive', 'scheduled', 'active', 'finished']);
const leaderboardFields = {
  name: Name,
  key: Key,
  description: optional(Text),
  status: Type.Optional(
    Type.Enum(['inactive', 'scheduled', 'active', 'finished'], {
      description:
        'Default: `scheduled` if `start` is in the future, else `inactive`. `finished` ends an active leaderboard with today; ' +
        'a new one needs an `end` in the past for it.',
    }),
  ),
  rankBy: Type.Enum(['metric', 'points', 'streak'], {
    description: 'What users are ranked by. A leaderboard of streaks has no runs.',
  }),
  metricId: optional(idOf('the metric. `rankBy: metric` only')),
  pointsSystemId: optional(idOf('the points system. `rankBy: points` only')),
  ...orderFields,
  eventAttributes: optional(AttributeFilter),
  maxParticipants: optional(
    Type.Number({ description: 'Number of ranked users in each group, 1 to 1,000. Default: 1,000.' }),
  ),
  start: Type.Optional(Type.String({ description: 'First day, YYYY-MM-DD. Default: today.' })),
  end: optional(EndDate),
  startTime: optional(TimeOfDay),
  endTime: optional(TimeOfDay),
  timeZone: optional(
    Type.String({
      description:
        "IANA time zone by whose dates runs begin and end for everybody. Without it, by each user's own. Not with `startTime`, `endTime` or `league`.",
    }),
  ),
  breakdownAttributes: optional(
    Type.Array(Text, {
      description:
        'Ids or keys of user attributes. Users with the same values form a group with its own ranking.',
    }),
  ),
  runUnit: optional(
    Type.Enum(['day', 'week', 'month', 'year'], {
      description:
        'Unit of `runInterval`. Without it the leaderboard is perpetual. A `week` is stored and answered as 7 days.',
    }),
  ),
  runInterval: optional(Type.Number({ description: 'Length of a run in `runUnit`.' })),
  rewards: optional(
    Type.Array(RewardField, {
      description: 'What ranks get when a run is final. Only with `runUnit` or `end`.',
    }),
  ),
  league: optional(Type.Unsafe<LeagueInput>(withoutBounds(LeagueInput) as object)),
};

export const Leaderboards = {
  tag: 'Leaderboards',
  isPublished: true,
  one: 'leaderboard',
  many: 'leaderboards',
  view: Type.Object(
    {
      id: Uuid,
      name: Text,
      key: Text,
      description: Type.Optional(Text),
      status: LeaderboardStatus,
      rankBy: leaderboardFields.rankBy,
      metricId: Type.Optional(Uuid),
      pointsSystemId: Type.Optional(Uuid),
      ...orderFields,
      eventAttributes: Type.Optional(AttributeFilter),
      maxParticipants: nullable(Type.Integer()),
      start: CalendarDate,
      end: Type.Optional(CalendarDate),
      startTime: Type.Optional(Text),
      endTime: Type.Optional(Text),
      timeZone: Type.Optional(Text),
      breakdownAttributes: Type.Array(Uuid),
      runUnit: Type.Optional(Type.Enum(['day', 'month', 'year'])),
      runInterval: Type.Optional(Type.Integer()),
      rewards: Type.Optional(Type.Array(RewardField)),
      league: Type.Optional(LeagueInput),
      paused: Type.Optional(Type.Literal(true)),
    },
    { $id: 'AdminLeaderboard' },
  ),
  create: Type.Object(leaderboardFields),
  update: updateOf(leaderboardFields),
  examples: [
    {
      key: 'weekly',
      name: 'Lessons this week',
      rankBy: 'metric',
      metricId: EXAMPLE_ID,
      maxParticipants: 100,
      start: '2026-11-16',
      runUnit: 'day',
      runInterval: 7,
      rewards: [{ from: 1, to: 3, points: { systemId: EXAMPLE_ID, amount: 500 } }],
      status: 'active',
    },
    {
      key: 'city-xp',
      name: 'XP by city',
      rankBy: 'points',
      pointsSystemId: EXAMPLE_ID,
      breakdownAttributes: [EXAMPLE_ID],
    },
  ],
} satisfies ResourceSchemas;
