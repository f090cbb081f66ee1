import Type, { type TSchema } from 'typebox';
import {
  EVENT_VALUE_MAX,
  FREEZES_MAX,
  INTERVAL_MAX,
  LEADERBOARD_PARTICIPANTS_MAX,
  MULTIPLIER_BELOW,
  TEXT_CHARS_MAX,
  USER_ID_CHARS_MAX,
} from '../base/limits.ts';
import {
  Badge,
  Description,
  date,
  Fields,
  filter,
  flag,
  key,
  listOf,
  Name,
  Nullable,
  optionalText,
  positive,
  reference,
  timeOfDay,
  webUrl,
  whole,
  withoutBounds,
} from './configFields.ts';
import { COLOR_PATTERN } from './schemas.ts';

/**
 * The format of a configuration file. Things refer to each other by key. docs/configuration.md and docs/config.schema.json
 * are generated from this schema. `ConfigFileShape` is the part of it that a file is checked with first; configRules.ts
 * checks the bounds, because the Admin API shares them.
 */

const AttributeItem = Fields({
  key: key('Key of the attribute, unique within its type.'),
  name: Name,
});

const MetricItem = Fields({
  key: key('Key of the metric.'),
  name: Name,
  unitType: Type.Optional(
    Type.Enum(['number', 'currency'], { description: 'What the values are.', default: 'number' }),
  ),
  units: Type.Optional(
    Type.String({ maxLength: TEXT_CHARS_MAX, description: 'What is counted, or the currency.', default: '' }),
  ),
});

const AchievementItem = Fields({
  key: key('Key of the achievement.'),
  name: Name,
  description: Description,
  badgeUrl: Badge,
  trigger: Type.Enum(['metric', 'streak', 'api', 'achievement'], {
    description:
      'What completes it: the total of a metric, the length of the streak, a call of the API, or other achievements. It cannot change.',
  }),
  status: Type.Optional(
    Type.Enum(['inactive', 'active', 'locked'], {
      description: 'Only an active achievement can be completed. A locked one is shown, an inactive one is not.',
      default: 'active',
    }),
  ),
  hidden: flag('If true, only users who have completed it see it.', false),
  metric: reference('Key of the metric. Required for trigger `metric`. It cannot change.'),
  value: Type.Optional(positive('Total to reach. Required for trigger `metric`.')),
  length: Type.Optional(whole('Streak length to reach. Required for trigger `streak`.', 1)),
  requires: listOf(Type.String(), 'Keys of the prerequisites. Required for trigger `achievement`. Cycles are refused.'),
  userAttributes: filter('Only users with all of these attribute values can complete it.'),
  eventAttributes: filter('Only events with all of these attribute values count. Trigger `metric` only.'),
});

const LevelItem = Fields({
  key: key('Key of the level, unique within its points system.'),
  name: Name,
  description: Type.Optional(
    Type.String({ maxLength: TEXT_CHARS_MAX, description: 'Text shown to users.', default: '' }),
  ),
  badgeUrl: Badge,
  points: whole('Total that reaches the level. Each level of a system needs a different one.', 0),
});

const TriggerItem = Fields({
  type: Type.Enum(['metric', 'achievement', 'streak', 'time', 'user_creation'], { description: 'What awards points.' }),
  points: Type.Integer({
    minimum: -EVENT_VALUE_MAX,
    maximum: EVENT_VALUE_MAX,
    not: { const: 0 },
    description: 'Points awarded each time; a negative number takes points.',
  }),
  status: Type.Optional(
    Type.Enum(['active', 'inactive'], { description: 'Only an active trigger awards points.', default: 'active' }),
  ),
  metric: reference('Key of the metric. Required for type `metric`.'),
  threshold: Type.Optional(
    whole('Points are awarded each time the total crosses a multiple of this. Required for type `metric`.', 1),
  ),
  achievement: reference('Key of the achievement. Required for type `achievement`.'),
  length: Type.Optional(
    whole('Points are awarded at every multiple of this streak length. Required for type `streak`.', 1),
  ),
  unit: Type.Optional(
    Type.Enum(['hour', 'day', 'hours', 'days'], {
      description:
        'Unit of `interval`; singular and plural mean the same. Hours are counted in UTC, days begin at midnight of the user. Required for type `time`.',
    }),
  ),
  interval: Type.Optional(whole('Number of units between two awards. Required for type `time`.', 1, INTERVAL_MAX)),
  blockIfOutOfPoints: flag(
    'If true, an event that would take more points than the user has is refused. Type `metric` only.',
    false,
  ),
  userAttributes: filter('Only users with all of these attribute values get the points.'),
  eventAttributes: filter('Only events with all of these attribute values count. Type `metric` only.'),
});

const BoostItem = Fields({
  name: Name,
  start: date('First day, in the time zone of each user.'),
  end: Type.Optional(Nullable(date('Last day, in the time zone of each user. Without it the boost does not end.'))),
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
        description: 'Limits the boost to this user. It cannot change.',
      }),
    ),
  ),
  userAttributes: filter('Only users with all of these attribute values get the boost.'),
});

const SystemItem = Fields({
  key: key('Key of the points system.'),
  name: Name,
  description: Description,
  badgeUrl: Badge,
  maxPoints: Type.Optional(Nullable(whole('Highest total a user can have. Without it there is no maximum.', 1))),
  levels: listOf(
    LevelItem,
    'Levels of the system. If the list is present, levels that it does not contain are deleted.',
  ),
  triggers: listOf(
    TriggerItem,
    'What awards points. If the list is present, triggers that it does not contain are deleted.',
  ),
  boosts: listOf(
    BoostItem,
    'Multipliers of awards. If the list is present, boosts that it does not contain are deleted.',
  ),
});

const LeaderboardItem = Fields({
  key: key('Key of the leaderboard.'),
  name: Name,
  description: Description,
  status: Type.Optional(
    Type.Enum(['inactive', 'scheduled', 'active', 'finished'], {
      description: 'Default: `scheduled` if `start` is in the future, else `active`.',
    }),
  ),
  rankBy: Type.Enum(['metric', 'points', 'streak'], {
    description: 'What users are ranked by. A leaderboard of streaks has no runs.',
  }),
  metric: reference('Key of the metric. Required for `rankBy: metric`.'),
  points: reference('Key of the points system. Required for `rankBy: points`.'),
  maxParticipants: Type.Optional(
    Nullable(
      whole('Number of ranked users in each group.', 1, LEADERBOARD_PARTICIPANTS_MAX, {
        default: LEADERBOARD_PARTICIPANTS_MAX,
      }),
    ),
  ),
  start: Type.Optional(date('First day. Default: the day on which the leaderboard is created.')),
  end: Type.Optional(Nullable(date('Last day. Without it the leaderboard does not end.'))),
  startTime: timeOfDay('Start of the daily window in which events count, in the time zone of the user.'),
  endTime: timeOfDay('End of the daily window. It must differ from `startTime`.'),
  breakdownAttributes: listOf(
    Type.String(),
    'Keys of user attributes. Users with the same values form a group with its own ranking.',
  ),
  runUnit: Type.Optional(
    Type.Unsafe<'day' | 'month' | 'year' | null>({
      enum: ['day', 'month', 'year', null],
      description: 'Unit of `runInterval`. Without it the leaderboard is perpetual: it has one run.',
    }),
  ),
  runInterval: Type.Optional(
    Nullable(whole('Length of a run in `runUnit`; a week is 7 days. Required with `runUnit`.', 1, INTERVAL_MAX)),
  ),
});

const ConditionItem = Fields({
  metric: Type.String({ description: 'Key of the metric. Each metric can appear once.' }),
  threshold: positive('Sum of event values to reach in each period.'),
});

const FreezesSection = Fields(
  {
    initial: Type.Optional(whole('Freezes of a new user, at most `max`.', 0, FREEZES_MAX, { default: 0 })),
    max: Type.Optional(whole('Highest number of freezes a user can have.', 0, FREEZES_MAX, { default: 0 })),
    earnEveryDays: Type.Optional(
      Nullable(whole('Days after which a user earns freezes. Without it none are earned.', 1)),
    ),
    earnAmount: Type.Optional(whole('Freezes earned each time.', 0, FREEZES_MAX, { default: 0 })),
  },
  { description: 'What keeps the streak when a user misses a period.' },
);

const StreakSection = Fields(
  {
    enabled: flag('Whether users have a streak.', true),
    frequency: Type.Optional(
      Type.Enum(['daily', 'weekly', 'monthly'], {
        description: 'Length of a period: a day, a week from Monday, or a month, in the time zone of the user.',
        default: 'daily',
      }),
    ),
    mode: Type.Optional(
      Type.Enum(['ALL', 'ANY'], {
        description: 'Whether a user must meet all conditions in a period or any of them.',
        default: 'ALL',
      }),
    ),
    conditions: listOf(ConditionItem, 'What extends the streak. Required when the streak is enabled.'),
    freezes: Type.Optional(FreezesSection),
    personalization: flag('If true, users may choose their own conditions.', false),
  },
  { description: 'The streak of every user. Without this section users have none.' },
);

const BrandingSection = Fields(
  {
    name: optionalText('Name of the sender, in one line. It stands above every email.'),
    logoUrl: webUrl('Image that replaces the name, shown 36 pixels high.'),
    color: Type.Optional(
      Nullable(Type.String({ pattern: COLOR_PATTERN, description: 'Colour of buttons and numbers in emails.' })),
    ),
    url: webUrl('Target of the logo and of the buttons in the default emails. Without it there are no buttons.'),
    address: optionalText('Postal address below every email.'),
  },
  { description: 'The sender of emails.' },
);

const SettingsSection = Fields(
  {
    controlRatio: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Share of new users in the control group.', default: 0 }),
    ),
    idempotencyWindowSeconds: Type.Optional(
      Nullable(
        whole(
          'Seconds for which an idempotency key is remembered. After that, the same key records a new event. Without it, keys are remembered for ever.',
          1,
        ),
      ),
    ),
    defaultTimeZone: Type.Optional(
      Type.String({ description: 'IANA time zone of users whose time zone is unknown.', default: 'UTC' }),
    ),
    multiTenancy: flag('If true, every call names a tenant. Only the account has this setting.', false),
    branding: Type.Optional(BrandingSection),
  },
  { description: 'Settings of the account or the tenant.' },
);

export const ConfigFileSchema = Fields(
  {
    attributes: Type.Optional(
      Fields(
        {
          user: listOf(AttributeItem, 'Attributes of users.'),
          event: listOf(AttributeItem, 'Attributes of events.'),
        },
        { description: 'Attributes that users and events can have.' },
      ),
    ),
    metrics: listOf(MetricItem, 'What events are recorded against.'),
    streak: Type.Optional(StreakSection),
    achievements: listOf(AchievementItem, 'What users can complete.'),
    points: listOf(SystemItem, 'Points systems with their levels, triggers and boosts.'),
    leaderboards: listOf(LeaderboardItem, 'Rankings of users.'),
    settings: Type.Optional(SettingsSection),
  },
  { title: 'laurel configuration', description: 'What laurel evaluates.' },
);

export type ConfigFile = Type.Static<typeof ConfigFileSchema>;
export type FileAchievement = Type.Static<typeof AchievementItem>;
export type FileSystem = Type.Static<typeof SystemItem>;
export type FileLevel = Type.Static<typeof LevelItem>;
export type FileTrigger = Type.Static<typeof TriggerItem>;
export type FileBoost = Type.Static<typeof BoostItem>;
export type FileLeaderboard = Type.Static<typeof LeaderboardItem>;
export type FileStreak = Type.Static<typeof StreakSection>;
export type FileSettings = Type.Static<typeof SettingsSection>;

/** Names, types and choices of a configuration file, without the bounds. */
export const ConfigFileShape = Type.Unsafe<ConfigFile>(withoutBounds(ConfigFileSchema) as TSchema);
