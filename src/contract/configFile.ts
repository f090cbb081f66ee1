import Type, { type TSchema } from 'typebox';
import { ATTRIBUTE_VALUE_CHARS_MAX } from '../base/limits.ts';

/**
 * The format of a configuration file, in which everything refers to everything by key. The schema holds names, types and
 * choices; what the values must be is in configRules.ts, which the Admin API shares.
 */

/** Types may be given for `number`, `string` and `boolean` only. */
function Nullable<T extends TSchema>(type: T) {
  return Type.Unsafe<Type.Static<T> | null>({ ...type, type: [(type as unknown as { type: string }).type, 'null'] });
}

function Fields<const T extends Record<string, TSchema>>(fields: T) {
  return Type.Object(fields, { additionalProperties: false });
}

const Text = Type.String();
const OptionalText = Type.Optional(Nullable(Text));
const OptionalNumber = Type.Optional(Type.Number());
const OptionalFlag = Type.Optional(Type.Boolean());
/** Attribute key to value; all must match. */
const Filter = Type.Optional(
  Type.Record(Text, Type.String({ minLength: 1, maxLength: ATTRIBUTE_VALUE_CHARS_MAX }), {
    additionalProperties: false,
  }),
);
const Named = Fields({ key: Text, name: Text });

const AchievementItem = Fields({
  key: Text,
  name: Text,
  description: OptionalText,
  badgeUrl: OptionalText,
  trigger: Type.Enum(['metric', 'streak', 'api', 'achievement']),
  status: Type.Optional(Type.Enum(['inactive', 'active', 'locked'])),
  hidden: OptionalFlag,
  metric: Type.Optional(Text),
  value: OptionalNumber,
  length: OptionalNumber,
  requires: Type.Optional(Type.Array(Text)),
  userAttributes: Filter,
  eventAttributes: Filter,
});

const LevelItem = Fields({
  key: Text,
  name: Text,
  description: Type.Optional(Text),
  badgeUrl: OptionalText,
  points: Type.Number(),
});

const TriggerItem = Fields({
  type: Type.Enum(['metric', 'achievement', 'streak', 'time', 'user_creation']),
  points: Type.Number(),
  status: Type.Optional(Type.Enum(['active', 'inactive'])),
  metric: Type.Optional(Text),
  threshold: OptionalNumber,
  achievement: Type.Optional(Text),
  length: OptionalNumber,
  /** The Admin API says `hours`, the Application API `hour`: a file may say either. */
  unit: Type.Optional(Type.Enum(['hour', 'day', 'hours', 'days'])),
  interval: OptionalNumber,
  blockIfOutOfPoints: OptionalFlag,
  userAttributes: Filter,
  eventAttributes: Filter,
});

const BoostItem = Fields({
  name: Text,
  start: Text,
  end: OptionalText,
  multiplier: Type.Number(),
  rounding: Type.Optional(Type.Enum(['down', 'up', 'nearest'])),
  userId: OptionalText,
  userAttributes: Filter,
});

const SystemItem = Fields({
  key: Text,
  name: Text,
  description: OptionalText,
  badgeUrl: OptionalText,
  maxPoints: Type.Optional(Nullable(Type.Number())),
  levels: Type.Optional(Type.Array(LevelItem)),
  triggers: Type.Optional(Type.Array(TriggerItem)),
  boosts: Type.Optional(Type.Array(BoostItem)),
});

const LeaderboardItem = Fields({
  key: Text,
  name: Text,
  description: OptionalText,
  status: Type.Optional(Type.Enum(['inactive', 'scheduled', 'active', 'finished'])),
  rankBy: Type.Enum(['metric', 'points', 'streak']),
  metric: Type.Optional(Text),
  points: Type.Optional(Text),
  maxParticipants: Type.Optional(Nullable(Type.Number())),
  start: Type.Optional(Text),
  end: OptionalText,
  startTime: OptionalText,
  endTime: OptionalText,
  breakdownAttributes: Type.Optional(Type.Array(Text)),
  runUnit: Type.Optional(Type.Unsafe<'day' | 'month' | 'year' | null>({ enum: ['day', 'month', 'year', null] })),
  runInterval: Type.Optional(Nullable(Type.Number())),
});

const StreakSection = Fields({
  enabled: OptionalFlag,
  frequency: Type.Optional(Type.Enum(['daily', 'weekly', 'monthly'])),
  mode: Type.Optional(Type.Enum(['ALL', 'ANY'])),
  conditions: Type.Optional(Type.Array(Fields({ metric: Text, threshold: Type.Number() }))),
  freezes: Type.Optional(
    Fields({
      initial: OptionalNumber,
      max: OptionalNumber,
      earnEveryDays: Type.Optional(Nullable(Type.Number())),
      earnAmount: OptionalNumber,
    }),
  ),
  personalization: OptionalFlag,
});

const SettingsSection = Fields({
  controlRatio: OptionalNumber,
  idempotencyWindowSeconds: Type.Optional(Nullable(Type.Number())),
  defaultTimeZone: Type.Optional(Text),
  multiTenancy: OptionalFlag,
  branding: Type.Optional(
    Fields({
      name: OptionalText,
      logoUrl: OptionalText,
      color: OptionalText,
      url: OptionalText,
      address: OptionalText,
    }),
  ),
});

export const ConfigFileSchema = Fields({
  attributes: Type.Optional(
    Fields({ user: Type.Optional(Type.Array(Named)), event: Type.Optional(Type.Array(Named)) }),
  ),
  metrics: Type.Optional(
    Type.Array(
      Fields({
        key: Text,
        name: Text,
        unitType: Type.Optional(Type.Enum(['number', 'currency'])),
        units: Type.Optional(Text),
      }),
    ),
  ),
  streak: Type.Optional(StreakSection),
  achievements: Type.Optional(Type.Array(AchievementItem)),
  points: Type.Optional(Type.Array(SystemItem)),
  leaderboards: Type.Optional(Type.Array(LeaderboardItem)),
  settings: Type.Optional(SettingsSection),
});

export type ConfigFile = Type.Static<typeof ConfigFileSchema>;
export type FileAchievement = Type.Static<typeof AchievementItem>;
export type FileSystem = Type.Static<typeof SystemItem>;
export type FileLevel = Type.Static<typeof LevelItem>;
export type FileTrigger = Type.Static<typeof TriggerItem>;
export type FileBoost = Type.Static<typeof BoostItem>;
export type FileLeaderboard = Type.Static<typeof LeaderboardItem>;
export type FileStreak = Type.Static<typeof StreakSection>;
export type FileSettings = Type.Static<typeof SettingsSection>;
