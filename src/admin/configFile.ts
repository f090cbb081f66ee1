import Type, { type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { parseDocument } from 'yaml';
import { ServiceError } from '../base/errors.ts';
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

export interface FileIssue {
  /** Such as `points[0].triggers[2].metric`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** A file that is refused, whole, with everything that is wrong with it. */
export class ConfigFileError extends ServiceError {
  readonly issues: FileIssue[];

  constructor(name: string, issues: FileIssue[]) {
    const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    super('invalid', `${name} is not a valid configuration:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.issues = issues;
  }
}

const validator = Compile(ConfigFileSchema);
type SchemaError = ReturnType<typeof validator.Errors>[number];

/** `/points/0/levels` → `points[0].levels`. Only the value tells an index from a field that is named by digits. */
function pathOf(pointer: string, root: unknown): string {
  let path = '';
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path += Array.isArray(value) ? `[${name}]` : path === '' ? name : `.${name}`;
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  return path;
}

function issuesOf(error: SchemaError, root: unknown): FileIssue[] {
  const at = (field: string): string => pathOf(`${error.instancePath}/${field}`, root);
  const path = pathOf(error.instancePath, root);
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((field) => ({ path: at(field), message: 'is required' }));
    case 'additionalProperties':
      return error.params.additionalProperties.map((field) => ({ path: at(field), message: 'is not a known field' }));
    case 'boolean':
      // The schema `false` of unknown fields: reported above, field by field.
      return [];
    case 'enum':
      return [{ path, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
    case 'minLength':
      return [{ path, message: 'must not be empty' }];
    case 'maxLength':
      return [{ path, message: `must not be longer than ${error.params.limit} characters` }];
    default:
      return [{ path, message: error.message }];
  }
}

/** TypeBox stops after 8 errors unless its global setting says otherwise; a file's author wants all of them at once. */
function allErrors(value: unknown): SchemaError[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: Number.MAX_SAFE_INTEGER });
  try {
    return validator.Errors(value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function parseYaml(text: string, name: string): unknown {
  const document = parseDocument(text, { stringKeys: true, prettyErrors: false });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    throw new ConfigFileError(
      name,
      faults.map((fault) => {
        const before = text.slice(0, fault.pos[0]).split('\n');
        return { path: '', message: `line ${before.length}, column ${before.at(-1)!.length + 1}: ${fault.message}` };
      }),
    );
  }
  try {
    return document.toJS();
  } catch (error) {
    // Aliases are resolved here: unknown ones, and a few lines that would grow into gigabytes.
    throw new ConfigFileError(name, [{ path: '', message: (error as Error).message }]);
  }
}

/**
 * Reads a configuration file, YAML 1.2 or JSON (which is YAML). Dates need no quotes: the core schema has no dates.
 * @param name what messages call the file
 * @throws ConfigFileError with every error of syntax, or else every error of shape
 */
export function parseConfigFile(text: string, name: string): ConfigFile {
  const content = parseYaml(text, name) ?? {};
  if (validator.Check(content)) return content;
  throw new ConfigFileError(
    name,
    allErrors(content).flatMap((error) => issuesOf(error, content)),
  );
}
