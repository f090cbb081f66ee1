import Type from 'typebox';
import { pageQuery } from './admin.ts';
import { EXAMPLE_ID } from './adminFields.ts';
import { ConfigFileSchema } from './configFile.ts';
import { operation } from './operation.ts';
import { Instant, nullable, Uuid } from './schemas.ts';
import { StreakFrequency } from './streak.ts';

/** What there is one of per tenant: streak, settings, the configuration as a whole, and the record of its changes. */

/** Of one object, a field that is not known is a mistake. */
const strictly = { additionalProperties: false };

const streakFields = {
  enabled: Type.Boolean(),
  frequency: StreakFrequency,
  mode: Type.Enum(['ALL', 'ANY'], { description: 'Whether all conditions must be met in a period, or one.' }),
  conditions: Type.Array(Type.Object({ metricId: Type.String(), threshold: Type.Number() }, strictly)),
  freezes: Type.Object(
    {
      initial: Type.Number(),
      max: Type.Number(),
      earnEveryDays: nullable(Type.Number()),
      earnAmount: Type.Number(),
    },
    strictly,
  ),
  personalization: Type.Boolean({ description: 'Whether users choose their own conditions.' }),
};
const StreakSettingsSchema = Type.Object(streakFields, { $id: 'AdminStreakSettings' });

export const GetStreakSettings = operation({
  tag: 'Configuration',
  summary: 'Get the streak settings',
  access: 'admin',
  responses: { 200: StreakSettingsSchema },
});

export const PutStreakSettings = operation({
  tag: 'Configuration',
  summary: 'Replace the streak settings',
  description: 'What is absent takes its default; `enabled` is true then.',
  access: 'admin',
  request: Type.Partial(Type.Object({ ...streakFields, freezes: Type.Partial(streakFields.freezes, strictly) }), {
    ...strictly,
    examples: [
      {
        ...{ frequency: 'daily', mode: 'ALL', conditions: [{ metricId: EXAMPLE_ID, threshold: 1 }] },
        freezes: { initial: 1, max: 2, earnEveryDays: 7, earnAmount: 1 },
      },
    ],
  }),
  responses: { 200: StreakSettingsSchema },
});

const branding = {
  name: nullable(Type.String({ description: 'Name of the sender, shown above every e-mail.' })),
  logoUrl: nullable(Type.String({ description: 'Shown in the place of the name, 36 pixels high.' })),
  color: nullable(Type.String({ description: 'Of buttons and numbers: `#rrggbb`.' })),
  url: nullable(Type.String({ description: 'Where buttons of the default e-mails lead; without it there are none.' })),
  address: nullable(Type.String({ description: 'Postal address, below every e-mail.' })),
};

const settingsFields = {
  controlRatio: Type.Number({ description: 'Share of users in the control group, 0 to 1.' }),
  idempotencyWindowSeconds: nullable(Type.Number({ description: 'null is infinite.' })),
  defaultTimeZone: Type.String({ description: 'Of users whose zone is not known.' }),
  multiTenancy: Type.Boolean(),
};
const SettingsSchema = Type.Object({ ...settingsFields, branding: Type.Object(branding) }, { $id: 'AdminSettings' });

export const GetSettings = operation({
  tag: 'Configuration',
  summary: 'Get the settings',
  access: 'admin',
  mayBeOfAccount: true,
  responses: { 200: SettingsSchema },
});

export const UpdateSettings = operation({
  tag: 'Configuration',
  summary: 'Change the settings that are passed',
  access: 'admin',
  mayBeOfAccount: true,
  request: Type.Partial(Type.Object({ ...settingsFields, branding: Type.Partial(Type.Object(branding), strictly) }), {
    ...strictly,
    examples: [
      {
        ...{ controlRatio: 0.1, defaultTimeZone: 'Europe/London' },
        branding: { name: 'Sprache', color: '#2f5d9e', url: 'https://example.com' },
      },
    ],
  }),
  responses: { 200: SettingsSchema },
});

export const GetConfig = operation({
  tag: 'Configuration',
  summary: 'Get the configuration as a file',
  description: 'In the format of `laurel apply`. Applying it changes nothing.',
  access: 'admin',
  responses: { 200: ConfigFileSchema },
});

const ReportItem = Type.Object({
  kind: Type.String(),
  key: Type.String({ description: 'What belongs to something is named after it: `xp.bronze`.' }),
});

export const ApplyConfig = operation({
  tag: 'Configuration',
  summary: 'Apply a configuration file',
  description:
    'Things are matched by key; what the file does not list stays, except levels, triggers and boosts of a listed system.',
  access: 'admin',
  // Its errors are those of a file: all at once, in src/admin/configFile.ts.
  request: Type.Unsafe<unknown>(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'As `GET /admin/v1/config` answers it.',
      examples: [
        {
          metrics: [{ key: 'lessons', name: 'Lessons completed' }],
          achievements: [{ key: 'lessons-10', name: 'Ten lessons', trigger: 'metric', metric: 'lessons', value: 10 }],
        },
      ],
    }),
  ),
  responses: {
    200: Type.Object(
      {
        created: Type.Array(ReportItem),
        updated: Type.Array(ReportItem),
        deleted: Type.Array(ReportItem),
        version: Type.Integer({ description: 'Of the configuration after this.' }),
      },
      { $id: 'ApplyReport' },
    ),
  },
});

export const AuditRecord = Type.Object(
  {
    actor: Type.String({ description: 'Prefix of the key, or the command.' }),
    at: Instant,
    action: Type.Enum(['create', 'update', 'delete']),
    kind: Type.String(),
    id: nullable(Uuid),
    userId: nullable(Type.String({ description: 'Of the user whom it concerns alone; null as well when erased.' })),
    before: nullable(Type.Record(Type.String(), Type.Unknown())),
    after: nullable(Type.Record(Type.String(), Type.Unknown())),
  },
  { $id: 'AuditRecord' },
);

export const ListAudit = operation({
  tag: 'Configuration',
  summary: 'List who changed what, the newest first',
  access: 'admin',
  mayBeOfAccount: true,
  query: Type.Object({
    ...pageQuery.properties,
    id: Type.Optional(Type.String({ format: 'uuid', description: 'Only changes of this.' })),
    userId: Type.Optional(Type.String({ minLength: 1, description: 'Only changes that concern this user.' })),
  }),
  responses: { 200: Type.Array(AuditRecord) },
});
