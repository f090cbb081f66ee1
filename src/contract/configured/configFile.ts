import Type, { type TSchema } from 'typebox';
import { IDEMPOTENCY_WINDOW_SECONDS_MIN } from '../../base/keyLimits.ts';
import { LATE_EVENT_SECONDS, LATE_EVENT_SECONDS_MAX } from '../../base/lateLimits.ts';
import {
  ACTIVATION_DAYS_MAX,
  ACTIVATION_DAYS_MIN,
  FREEZE_INTERVAL_DAYS_MAX,
  FREEZES_EARNED_MAX,
  FREEZES_MAX,
  STREAK_THRESHOLD_MAX,
  TEXT_CHARS_MAX,
} from '../../base/limits.ts';
import { withoutBounds } from '../bounds.ts';
import {
  AGGREGATION_MEANING,
  AGGREGATION_PERIODS,
  BRANDING_MEANING,
  COLOR_PATTERN,
  EXPERIMENTATION_MEANING,
  FONTS,
  LATE_EVENTS_MEANING,
} from '../branding.ts';
import { Fields, flag, image, listOf, Nullable, optionalText, whole } from '../configFields.ts';
import { KINDS } from '../kinds/allKinds.ts';
import type { RewardItem } from '../rewards.ts';
import { AttributeItem, CONFIG_LISTS, type FileItem } from './configLists.ts';

/**
 * The format of a configuration file. Things refer to each other by key. docs/configuration.md and
 * docs/config.schema.json are generated from this schema. `ConfigFileShape` is the part of it that a file is
 * checked with first; configRules.ts checks the bounds, because the Admin API shares them.
 */

const StreakMetricItem = Fields({
  key: Type.String({ description: 'Key of the metric. Each metric can appear once.' }),
  threshold: whole('Sum of event values to reach in each period.', 1, STREAK_THRESHOLD_MAX),
});

const FreezesSection = Fields(
  {
    startCount: whole('Freezes of a new user, at most `maxCount`.', 0, FREEZES_MAX),
    maxCount: whole(
      'Highest number of freezes a user can have. If it is lowered, users keep what they have, but get no more.',
      1,
      FREEZES_MAX,
    ),
    autoEarnInterval: Type.Optional(
      Nullable(
        whole(
          'Days after which a user earns freezes. Without it none are earned.',
          1,
          FREEZE_INTERVAL_DAYS_MAX,
        ),
      ),
    ),
    autoEarnAmount: Type.Optional(
      Nullable(whole('Freezes earned each time. Required with `autoEarnInterval`.', 1, FREEZES_EARNED_MAX)),
    ),
  },
  { description: 'What keeps the streak when a user misses a period. Without it there are no freezes.' },
);

const StreakSection = Fields(
  {
    enabled: flag('Whether users have a streak. If false, the length of every streak is 0.', true),
    frequency: Type.Optional(
      Type.Enum(['daily', 'weekly', 'monthly'], {
        description:
          'Length of a period: a day, a week from Monday, or a month, in the time zone of the user.',
        default: 'daily',
      }),
    ),
    evaluationMode: Type.Optional(
      Type.Enum(['OR', 'AND'], {
        description: 'Whether a user must reach the threshold of any metric in a period or those of all.',
        default: 'AND',
      }),
    ),
    customizationEnabled: flag(
      'If true, users may choose their own metrics, thresholds, mode and days off.',
      false,
    ),
    daysOff: listOf(
      whole('A weekday: 0 is Sunday, 6 is Saturday.', 0, 6),
      'Weekdays on which a daily streak needs nothing: 0 is Sunday, 6 is Saturday. At most six. Only for daily streaks.',
    ),
    metrics: listOf(StreakMetricItem, 'What extends the streak. Required when the streak is enabled.'),
    freezes: Type.Optional(FreezesSection),
  },
  { description: 'The streak of every user. Without this section users have none.' },
);

const BrandingSection = Fields(
  {
    appName: Type.Optional(
      Type.String({ maxLength: TEXT_CHARS_MAX, description: BRANDING_MEANING.appName, default: '' }),
    ),
    appUrl: Type.Optional(
      Type.String({ format: 'uri', maxLength: TEXT_CHARS_MAX, description: BRANDING_MEANING.appUrl }),
    ),
    brandColor: Type.Optional(
      Type.String({ pattern: COLOR_PATTERN, description: BRANDING_MEANING.brandColor, default: '#55702f' }),
    ),
    font: Type.Optional(Type.Enum(FONTS, { description: BRANDING_MEANING.font, default: 'MODERN_SANS' })),
    logo: image(BRANDING_MEANING.logo),
    appIcon: image(BRANDING_MEANING.appIcon),
    address: optionalText(BRANDING_MEANING.address),
  },
  { description: 'How your product looks in emails.' },
);

const ExperimentationSection = Fields(
  {
    controlRatio: Type.Optional(whole(EXPERIMENTATION_MEANING.controlRatio, 0, 100, { default: 0 })),
    userActivationWindow: Type.Optional(
      whole(EXPERIMENTATION_MEANING.userActivationWindow, ACTIVATION_DAYS_MIN, ACTIVATION_DAYS_MAX, {
        default: 14,
      }),
    ),
  },
  { description: 'The control group.' },
);

const LateEventsSection = Fields(
  {
    maxAgeSeconds: Type.Optional(
      whole(LATE_EVENTS_MEANING.maxAgeSeconds, 0, LATE_EVENT_SECONDS_MAX, { default: LATE_EVENT_SECONDS }),
    ),
  },
  { description: 'Events with a timestamp in the past.' },
);

const SettingsSection = Fields(
  {
    aggregationPeriod: Type.Optional(
      Type.Enum(AGGREGATION_PERIODS, { description: AGGREGATION_MEANING, default: 'weekly' }),
    ),
    idempotencyWindowSeconds: Type.Optional(
      Nullable(
        whole(
          'Seconds for which an idempotency key is remembered. After that, the same key records a new event. Without it, keys are remembered for ever.',
          IDEMPOTENCY_WINDOW_SECONDS_MIN,
        ),
      ),
    ),
    defaultTimeZone: Type.Optional(
      Type.String({ description: 'IANA time zone of users whose time zone is unknown.', default: 'UTC' }),
    ),
    multiTenancy: flag('If true, every call names a tenant. Only the account has this setting.', false),
    branding: Type.Optional(BrandingSection),
    experimentation: Type.Optional(ExperimentationSection),
    lateEvents: Type.Optional(LateEventsSection),
  },
  { description: 'Settings of the account or the tenant.' },
);

const EXAMPLE = {
  metrics: [{ key: 'lessons', name: 'Lessons completed' }],
  achievements: [
    { key: 'lessons-10', name: 'Ten lessons', trigger: 'metric', metric: 'lessons', metricValue: 10 },
  ],
};

const { metrics, ...otherLists } = CONFIG_LISTS;

export const ConfigFileSchema = Fields(
  {
    attributes: Type.Optional(
      Fields(
        {
          user: listOf(AttributeItem, 'Attributes of users.'),
          event: listOf(AttributeItem, 'Attributes of events.'),
        },
        { description: KINDS.attributes.meaning },
      ),
    ),
    metrics,
    streak: Type.Optional(StreakSection),
    ...otherLists,
    settings: Type.Optional(SettingsSection),
  },
  {
    $id: 'Config',
    title: 'laurel configuration',
    description: 'What laurel evaluates.',
    examples: [EXAMPLE],
  },
);

export type ConfigFile = Type.Static<typeof ConfigFileSchema>;
export type FileAchievement = FileItem<'achievements'>;
export type FileSystem = FileItem<'pointsSystems'>;
export type FileTrigger = FileItem<'pointsTriggers'>;
export type FileBoost = FileItem<'pointsBoosts'>;
export type FileLeaderboard = FileItem<'leaderboards'>;
export type FileReward = Type.Static<typeof RewardItem>;
export type FileWebhook = FileItem<'webhooks'>;
export type FileStreak = Type.Static<typeof StreakSection>;
export type FileSettings = Type.Static<typeof SettingsSection>;

/** Names, types and choices of a configuration file, without the bounds. */
export const ConfigFileShape = Type.Unsafe<ConfigFile>(withoutBounds(ConfigFileSchema) as TSchema);
