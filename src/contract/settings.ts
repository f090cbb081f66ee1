import Type from 'typebox';
import {
  AGGREGATION_MEANING,
  AGGREGATION_PERIODS,
  BRANDING_MEANING,
  EXPERIMENTATION_MEANING,
  FONTS,
  Image,
  LATE_EVENTS_MEANING,
} from './branding.ts';
import { operation } from './operation.ts';
import { integer, named, nullable, number } from './schemas.ts';

/** Operations on the settings of a tenant and on the environment of the installation. */

/** Unknown fields are refused. */
const strictly = { additionalProperties: false };

const text = (description: string, options: object = {}) => Type.String({ description, ...options });

const branding = {
  appName: text(BRANDING_MEANING.appName, { minLength: 1 }),
  appUrl: text(BRANDING_MEANING.appUrl, { minLength: 1 }),
  brandColor: text(BRANDING_MEANING.brandColor),
  font: Type.Enum(FONTS, { description: BRANDING_MEANING.font }),
  logo: nullable(Type.Object(Image.properties, { description: BRANDING_MEANING.logo })),
  appIcon: nullable(Type.Object(Image.properties, { description: BRANDING_MEANING.appIcon })),
  address: nullable(text(BRANDING_MEANING.address)),
};
/** Names and addresses are empty until they are set. */
const shownBranding = {
  ...branding,
  appName: text(`${BRANDING_MEANING.appName} Empty until it is set.`),
  appUrl: text(`${BRANDING_MEANING.appUrl} Empty until it is set.`),
};

const experimentation = {
  controlRatio: integer(`${EXPERIMENTATION_MEANING.controlRatio} 0 to 100.`),
  userActivationWindow: integer(`${EXPERIMENTATION_MEANING.userActivationWindow} 3 to 30.`),
};

const lateEvents = {
  maxAgeSeconds: integer(`${LATE_EVENTS_MEANING.maxAgeSeconds} 0 to 2592000.`),
};

export const AdoptAs = text(
  'With `multiTenancy: true` on an account that has users: the id of the tenant that they belong to from then on.',
);

const settingsFields = {
  aggregationPeriod: Type.Enum(AGGREGATION_PERIODS, { description: AGGREGATION_MEANING }),
  idempotencyWindowSeconds: nullable(
    number(
      'Seconds for which an idempotency key is remembered. After that, the same key records a new event. null: for ever.',
    ),
  ),
  defaultTimeZone: text('IANA time zone of users whose time zone is unknown.'),
  multiTenancy: Type.Boolean(),
};
const SettingsSchema = named('AdminSettings', {
  branding: Type.Object(shownBranding),
  experimentation: Type.Object(experimentation),
  lateEvents: Type.Object(lateEvents),
  ...settingsFields,
});

export const GetSettings = operation({
  name: 'getSettings',
  route: 'GET /settings',
  tag: 'Configuration',
  summary: 'Get the settings',
  version: 'shown',
  scope: 'either',
  responses: { 200: SettingsSchema },
});

export const UpdateSettings = operation({
  name: 'updateSettings',
  route: 'PATCH /settings',
  tag: 'Configuration',
  summary: 'Change the settings that are passed',
  description: 'Fields of `branding`, `experimentation` and `lateEvents` that are not passed stay.',
  version: 'checked',
  scope: 'either',
  request: Type.Partial(
    Type.Object({
      branding: Type.Partial(Type.Object(branding), strictly),
      experimentation: Type.Partial(Type.Object(experimentation), strictly),
      lateEvents: Type.Partial(Type.Object(lateEvents), strictly),
      ...settingsFields,
      adoptAs: AdoptAs,
    }),
    {
      ...strictly,
      examples: [
        {
          branding: { appName: 'Sprache', brandColor: '#2f5d9e', appUrl: 'https://example.com' },
          experimentation: { controlRatio: 10 },
          defaultTimeZone: 'Europe/London',
        },
      ],
    },
  ),
  responses: { 200: SettingsSchema },
});

export const ListEnvironments = operation({
  name: 'listEnvironments',
  route: 'GET /environments',
  tag: 'Configuration',
  summary: 'List the environments',
  description: 'An installation is one environment, so the list has one item.',
  scope: 'either',
  responses: {
    200: Type.Array(
      named('AdminEnvironment', {
        name: Type.String(),
        key: Type.String(),
        priority: Type.Integer({ minimum: 1, maximum: 10, description: '1 is production.' }),
      }),
    ),
  },
});
