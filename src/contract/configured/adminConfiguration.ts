import Type from 'typebox';
import { pageQuery } from '../admin.ts';
import { ChangedItem } from '../changedItem.ts';
import { ApplyReportSchema } from '../configReport.ts';
import { operation } from '../operation.ts';
import { boolean, Instant, integer, named, nullable, text, Uuid, uuid } from '../schemas.ts';
import { AdoptAs } from '../settings.ts';
import { StreakFrequency } from '../streak.ts';
import { ConfigFileSchema } from './configFile.ts';

/** The number of a version of the configuration. */
const version = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/**
 * Operations on what each tenant has once: the streak settings, the configuration and the log of its changes.
 */

/** Unknown fields are refused. */
const strictly = { additionalProperties: false };

const streakFields = {
  enabled: Type.Boolean(),
  frequency: StreakFrequency,
  evaluationMode: Type.Enum(['OR', 'AND'], {
    description: 'Whether a user must reach the threshold of any metric in a period or those of all.',
  }),
  customizationEnabled: boolean(
    'Whether users may choose their own metrics, thresholds, mode and days off by their preferences.',
  ),
  metrics: Type.Array(
    Type.Object(
      {
        key: text('Key of the metric. Each metric can appear once.'),
        threshold: integer('Sum of event values to reach in each period, 1 to 10,000.'),
      },
      strictly,
    ),
    { description: 'What extends the streak.' },
  ),
  daysOff: Type.Array(Type.Integer(), {
    description: 'Weekdays on which a daily streak needs nothing: 0 is Sunday, 6 is Saturday. At most six.',
  }),
};
const freezesFields = {
  startCount: integer('Freezes of a new user, 0 to 100.'),
  maxCount: integer('Highest number of freezes a user can have, 1 to 100.'),
};
const earnFields = {
  autoEarnInterval: nullable(
    integer('Days after which a user earns freezes, 1 to 365. null: none are earned.'),
  ),
  autoEarnAmount: nullable(integer('Freezes earned each time, 1 to 10. Set with the interval.')),
};
const StreakSettingsSchema = named('AdminStreakSettings', {
  ...streakFields,
  freezes: nullable(Type.Object({ ...freezesFields, ...earnFields })),
});

export const GetStreakSettings = operation({
  name: 'getStreakSettings',
  route: 'GET /streaks/settings',
  tag: 'Configuration',
  summary: 'Get the streak settings',
  version: 'shown',
  responses: { 200: StreakSettingsSchema },
});

const GivenFreezes = Type.Object(
  { ...freezesFields, ...Type.Partial(Type.Object(earnFields)).properties },
  strictly,
);

export const UpdateStreakSettings = operation({
  name: 'updateStreakSettings',
  route: 'PATCH /streaks/settings',
  tag: 'Configuration',
  summary: 'Change the streak settings that are passed',
  description:
    'A passed list or object replaces the stored one. `freezes: null` turns freezes off. Another frequency than daily clears the days off. The first metrics enable the streak ' +
    'unless `enabled` is passed. If `maxCount` is lowered, users keep the freezes they have, but get no more.',
  version: 'checked',
  request: Type.Partial(Type.Object({ ...streakFields, freezes: nullable(GivenFreezes) }), {
    ...strictly,
    examples: [
      {
        frequency: 'daily',
        evaluationMode: 'AND',
        metrics: [{ key: 'lessons', threshold: 1 }],
        freezes: { startCount: 1, maxCount: 2, autoEarnInterval: 7, autoEarnAmount: 1 },
      },
    ],
  }),
  responses: { 200: StreakSettingsSchema },
});

export const GetConfig = operation({
  name: 'getConfig',
  route: 'GET /config',
  tag: 'Configuration',
  summary: 'Get the configuration as a file',
  description:
    'In the format of the configuration file. Applying it changes nothing. With `version`, the configuration as it was: applying ' +
    'it with `prune` restores that version.',
  version: 'shown',
  asYaml: true,
  query: Type.Object({
    version: Type.Optional(version('A version of `GET /admin/v1/config/versions`.')),
    format: Type.Optional(
      Type.Enum(['json', 'yaml'], { description: '`yaml` is the same as `Accept: application/yaml`.' }),
    ),
  }),
  responses: { 200: ConfigFileSchema },
});

export const ListConfigVersions = operation({
  name: 'listConfigVersions',
  route: 'GET /config/versions',
  tag: 'Configuration',
  summary: 'List the versions of the configuration, newest first',
  description:
    'Every change raises the version. `GET /admin/v1/audit?version=` answers what a version changed.',
  query: pageQuery,
  responses: {
    200: Type.Array(
      named('ConfigVersion', {
        version: Type.Integer(),
        at: Instant,
        actor: text('Prefix of the key, or the name of the command.'),
        actorName: nullable(text('Name of the key.')),
        created: integer('Number of items that it created.'),
        updated: Type.Integer(),
        deleted: Type.Integer(),
      }),
    ),
  },
});

export const ApplyConfig = operation({
  name: 'putConfig',
  route: 'PUT /config',
  tag: 'Configuration',
  summary: 'Apply a configuration file',
  description:
    'Items are matched by key. Lists inside a listed points system (levels, triggers, boosts) replace the stored lists. Other ' +
    'items that the file does not list stay, unless `prune` is true. The body may also be YAML (`Content-Type: application/yaml`).',
  version: 'checked',
  mayBeYaml: true,
  query: Type.Object({
    dryRun: Type.Boolean({ default: false, description: 'Change nothing, but report what would change.' }),
    prune: Type.Boolean({
      default: false,
      description: 'Also delete the items of listed sections that the file does not list.',
    }),
    adoptAs: Type.Optional(AdoptAs),
  }),
  // src/admin/files/readConfigFile.ts checks the content and reports all errors at once.
  request: Type.Unsafe<unknown>(Type.Record(Type.String(), Type.Unknown())),
  shownRequest: ConfigFileSchema,
  responses: { 200: ApplyReportSchema },
});

export const AuditRecord = named('AuditRecord', {
  actor: text('Prefix of the key, or the name of the command.'),
  actorName: nullable(text('Name of the key.')),
  at: Instant,
  action: Type.Enum(['create', 'update', 'delete']),
  kind: Type.String(),
  id: nullable(Uuid),
  userId: nullable(
    text('Id of the user that the change is about. null for other changes, and after the user was erased.'),
  ),
  userName: nullable(text('Name of the user as it is now. null if the user has no name.')),
  item: nullable(ChangedItem),
  version: nullable(integer('Version of the configuration that the change made. null for other changes.')),
  before: nullable(Type.Record(Type.String(), Type.Unknown())),
  after: nullable(Type.Record(Type.String(), Type.Unknown())),
});

export const ListAudit = operation({
  name: 'listAuditLog',
  route: 'GET /audit',
  tag: 'Configuration',
  summary: 'List who changed what, newest first',
  scope: 'either',
  query: Type.Object({
    ...pageQuery.properties,
    id: Type.Optional(uuid('Only changes of the item with this id.')),
    userId: Type.Optional(Type.String({ minLength: 1, description: 'Only changes about this user.' })),
    kind: Type.Optional(Type.String({ minLength: 1, description: 'Only changes of this kind.' })),
    actor: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Only changes by this key, command or person: `actor` or `actorName` of the entry. A session of the console has the name of its key.',
      }),
    ),
    version: Type.Optional(version('Only changes that made this version of the configuration.')),
  }),
  responses: { 200: Type.Array(AuditRecord) },
});
