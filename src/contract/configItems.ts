import Type from 'typebox';
import {
  ANNIVERSARY_YEARS_MAX,
  EVENT_VALUE_MAX,
  INTERVAL_MAX,
  LEADERBOARD_PARTICIPANTS_MAX,
  MULTIPLIER_BELOW,
  TEXT_CHARS_MAX,
  USER_ID_CHARS_MAX,
} from '../base/limits.ts';
import { REWARD_POINTS_MAX, REWARDS_MAX } from '../base/rewardLimits.ts';
import { ACHIEVEMENT_TRIGGERS } from './achievement.ts';
import {
  Badge,
  Description,
  date,
  Fields,
  FixedFields,
  filter,
  flag,
  key,
  listOf,
  Name,
  Nullable,
  positive,
  reference,
  timeOfDay,
  whole,
  withNeeded,
} from './configFields.ts';
import { CHOSEN_FIELDS, FIXED_FIELDS, FIXED_OF_LEADERBOARD } from './entityFields.ts';
import { Guards } from './guards.ts';
import { LeagueInput, REWARD_PROMOTED, REWARD_TIER } from './leagues.ts';
import { TRIGGER_TYPES } from './points.ts';

/** The items of the lists of a configuration file. */

export const AttributeItem = Fields({
  key: key('Key of the attribute, unique within its type.'),
  name: Name,
});

export const MetricItem = Fields({
  key: key('Key of the metric.'),
  name: Name,
  unitType: Type.Optional(
    Type.Enum(['number', 'currency'], { description: 'What the values are.', default: 'number' }),
  ),
  units: Type.Optional(
    Type.String({ maxLength: TEXT_CHARS_MAX, description: 'What is counted, or the currency.', default: '' }),
  ),
  guards: Type.Optional(
    Type.Unsafe<Guards | null>({
      ...Guards,
      type: ['object', 'null'],
      description: 'What its events must satisfy.',
    }),
  ),
});

export const AchievementItem = Fields({
  key: key('Key of the achievement.'),
  name: Name,
  description: Description,
  badge: Badge,
  trigger: Type.Enum(ACHIEVEMENT_TRIGGERS, {
    description:
      'What completes it: the total of a metric, the length of the streak, a call of the API, other achievements, or years since the sign-up date.',
  }),
  status: Type.Optional(
    Type.Enum(['inactive', 'active', 'locked'], {
      description:
        'Only an active achievement can be completed. A locked one is shown only to users who have it, an inactive one to nobody.',
      default: 'active',
    }),
  ),
  hidden: flag('If true, only users who have completed it see it.', false),
  metric: reference('Key of the metric. Required for trigger `metric`.'),
  metricValue: Type.Optional(positive('Total to reach. Required for trigger `metric`.')),
  streakLength: Type.Optional(whole('Streak length to reach. Required for trigger `streak`.', 1)),
  anniversaryYears: Type.Optional(
    whole(
      'Years after the sign-up date of the user. Required for trigger `anniversary`.',
      1,
      ANNIVERSARY_YEARS_MAX,
    ),
  ),
  achievements: listOf(
    Type.String(),
    'Keys of the prerequisites. Required for trigger `achievement`. Cycles are refused.',
  ),
  userAttributes: filter('Only users with all of these attribute values can complete it.'),
  eventAttributes: filter('Only events with all of these attribute values count. Trigger `metric` only.'),
});

export const LevelItem = Fields({
  key: key('Key of the level, unique within its points system.'),
  name: Name,
  description: Type.Optional(
    Type.String({ maxLength: TEXT_CHARS_MAX, description: 'Text shown to users.', default: '' }),
  ),
  badge: Badge,
  points: whole('Total that reaches the level. Each level of a system needs a different one.', 0),
});

export const TriggerItem = Fields({
  type: Type.Enum(TRIGGER_TYPES, { description: 'What awards points.' }),
  points: Type.Integer({
    minimum: -EVENT_VALUE_MAX,
    maximum: EVENT_VALUE_MAX,
    not: { const: 0 },
    description: 'Points awarded each time; a negative number takes points.',
  }),
  status: Type.Optional(
    Type.Enum(['active', 'inactive'], {
      description: 'Only an active trigger awards points.',
      default: 'active',
    }),
  ),
  metric: reference('Key of the metric. Required for type `metric`.'),
  metricThreshold: Type.Optional(
    whole(
      'Points are awarded each time the total crosses a multiple of this for the first time. A negative number of points is taken each time a positive value crosses one, also again after the total has fallen. Required for type `metric`.',
      1,
    ),
  ),
  achievement: reference('Key of the achievement. Required for type `achievement`.'),
  streakLength: Type.Optional(
    whole('Points are awarded at every multiple of this streak length. Required for type `streak`.', 1),
  ),
  timeUnit: Type.Optional(
    Type.Enum(['hour', 'day', 'hours', 'days'], {
      description:
        'Unit of `timeInterval`; singular and plural mean the same. Hours are counted in UTC, days begin at midnight of the user. Required for type `time`.',
    }),
  ),
  timeInterval: Type.Optional(
    whole('Number of units between two awards. Required for type `time`.', 1, INTERVAL_MAX),
  ),
  blockIfOutOfPoints: flag(
    'If true, an event that would take more points than the user has is refused. Type `metric` only.',
    false,
  ),
  userAttributes: filter('Only users with all of these attribute values get the points.'),
  eventAttributes: filter('Only events with all of these attribute values count. Type `metric` only.'),
});

export const BoostItem = FixedFields(FIXED_FIELDS.pointsBoosts, 'It cannot change.', {
  name: Name,
  start: date('First day, in the time zone of each user.'),
  end: Type.Optional(
    Nullable(date('Last day, in the time zone of each user. Without it the boost does not end.')),
  ),
  multiplier: Type.Number({
    exclusiveMinimum: 0,
    exclusiveMaximum: MULTIPLIER_BELOW,
    not: { const: 1 },
    description: 'Factor of positive awards. Factors of several boosts are multiplied.',
  }),
  rounding: Type.Optional(
    Type.Enum(['down', 'up', 'nearest'], {
      description:
        'How the product is rounded. If several boosts apply, `down` takes precedence over `nearest`, and `nearest` over `up`.',
      default: 'down',
    }),
  ),
  userId: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: USER_ID_CHARS_MAX,
        description: 'Limits the boost to this user.',
      }),
    ),
  ),
  userAttributes: filter('Only users with all of these attribute values get the boost.'),
});

export const SystemItem = Fields({
  key: key('Key of the points system.'),
  name: Name,
  description: Description,
  badge: Badge,
  maxPoints: Type.Optional(
    Nullable(
      whole(
        'Highest total a user can have. Without it there is no maximum. If it is lowered, users keep what they have, but get no more.',
        1,
      ),
    ),
  ),
  levels: listOf(
    LevelItem,
    'Levels of the system. If the list is present, levels that it does not contain are deleted.',
  ),
  triggers: listOf(
    withNeeded(TriggerItem, CHOSEN_FIELDS.pointsTriggers),
    'What awards points. If the list is present, triggers that it does not contain are deleted.',
  ),
  boosts: listOf(
    BoostItem,
    'Multipliers of awards. If the list is present, boosts that it does not contain are deleted.',
  ),
});

export const RewardItem = Fields({
  from: Type.Optional(
    whole('First rank. Needed without `tier` and `promoted`.', 1, LEADERBOARD_PARTICIPANTS_MAX),
  ),
  to: Type.Optional(whole('Last rank. Needed with `from`.', 1, LEADERBOARD_PARTICIPANTS_MAX)),
  tier: reference(REWARD_TIER),
  promoted: Type.Optional(Type.Boolean({ description: REWARD_PROMOTED })),
  points: Type.Optional(
    Fields(
      {
        system: Type.String({ description: 'Key of the points system.' }),
        amount: whole('Points. Boosts do not apply.', 1, REWARD_POINTS_MAX),
      },
      { description: 'Points that each of these users gets.' },
    ),
  ),
  achievement: reference(
    'Key of the achievement that each of these users completes, instead of `points`. Its trigger is `api`.',
  ),
});

export const LeaderboardItem = FixedFields(
  FIXED_OF_LEADERBOARD,
  'It cannot change once the leaderboard has begun.',
  {
    key: key('Key of the leaderboard.'),
    name: Name,
    description: Description,
    status: Type.Optional(
      Type.Enum(['inactive', 'scheduled', 'active', 'finished'], {
        description: 'Default: `scheduled` if `start` is in the future, else `active`.',
      }),
    ),
    rankBy: Type.Enum(['metric', 'points', 'streak'], {
      description: `What users are ranked by. A leaderboard of streaks has no runs.`,
    }),
    metric: reference(`Key of the metric. Required for \`rankBy: metric\`.`),
    points: reference(`Key of the points system. Required for \`rankBy: points\`.`),
    sortOrder: Type.Optional(
      Type.Enum(['desc', 'asc'], {
        description: `Whether higher (\`desc\`) or lower values are better. \`asc\` needs aggregation \`best\` or \`latest\`.`,
        default: 'desc',
      }),
    ),
    aggregation: Type.Optional(
      Type.Enum(['sum', 'best', 'latest'], {
        description: `Which score a run has: the sum of the values of its events, the best one, or the latest one. \`best\` and \`latest\` only with \`rankBy: metric\`.`,
        default: 'sum',
      }),
    ),
    ties: Type.Optional(
      Type.Enum(['arrival', 'shared'], {
        description: `Whether equal scores rank by arrival, or share a rank (1, 2, 2, 4).`,
        default: 'arrival',
      }),
    ),
    eventAttributes: filter(`Only events with all of these attribute values count. \`rankBy: metric\` only.`),
    maxParticipants: Type.Optional(
      Nullable(
        whole('Number of ranked users in each group.', 1, LEADERBOARD_PARTICIPANTS_MAX, {
          default: LEADERBOARD_PARTICIPANTS_MAX,
        }),
      ),
    ),
    start: Type.Optional(date(`First day. Default: the day on which the leaderboard is created.`)),
    end: Type.Optional(Nullable(date('Last day. Without it the leaderboard does not end.'))),
    startTime: timeOfDay(`Start of the daily window in which events count, in the time zone of the user.`),
    endTime: timeOfDay(`End of the daily window. It must differ from \`startTime\`.`),
    timeZone: Type.Optional(
      Nullable(
        Type.String({
          description:
            'IANA time zone by whose dates runs begin and end for everybody. Without it, each user has runs by the own time zone. Not with `startTime`, `endTime` or `league`.',
        }),
      ),
    ),
    breakdownAttributes: listOf(
      Type.String(),
      `Keys of user attributes. Users with the same values form a group with its own ranking.`,
    ),
    runUnit: Type.Optional(
      Type.Unsafe<'day' | 'week' | 'month' | 'year' | null>({
        enum: ['day', 'week', 'month', 'year', null],
        description: `Unit of \`runInterval\`; a \`week\` is stored and shown as 7 days from the start. Without it the leaderboard is perpetual: it has one run.`,
      }),
    ),
    runInterval: Type.Optional(
      Nullable(whole(`Length of a run in \`runUnit\`. Required with \`runUnit\`.`, 1, INTERVAL_MAX)),
    ),
    rewards: Type.Optional(
      Type.Array(RewardItem, {
        maxItems: REWARDS_MAX,
        description: 'What ranks get when a run is final. Only with `runUnit` or `end`.',
      }),
    ),
    league: Type.Optional(
      Type.Unsafe<LeagueInput | null>({
        ...LeagueInput,
        type: ['object', 'null'],
      }),
    ),
  },
);
