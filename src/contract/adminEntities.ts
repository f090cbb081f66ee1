import Type from 'typebox';
import { ACHIEVEMENT_TRIGGERS } from './achievement.ts';
import type { ResourceSchemas } from './admin.ts';
import {
  AttributeFilter,
  Badge,
  EXAMPLE_ID,
  fixed,
  idOf,
  KEY_MEANING,
  Key,
  Name,
  optional,
  Text,
  updateOf,
} from './adminFields.ts';
import { withoutBounds } from './configFields.ts';
import { Guards } from './guards.ts';
import { Double, nullable, Uuid } from './schemas.ts';
import { WEBHOOK_EVENTS } from './webhooks.ts';

const attributeFields = {
  name: Name,
  key: Key,
  type: Type.Enum(['user', 'event'], { description: 'Whether it is an attribute of users or of events.' }),
};

export const Attributes = {
  tag: 'Attributes',
  isPublished: true,
  one: 'attribute',
  many: 'attributes',
  view: Type.Object({ id: Uuid, ...attributeFields }, { $id: 'AdminAttribute' }),
  create: Type.Object(attributeFields),
  update: Type.Object({
    id: Uuid,
    name: Type.Optional(Name),
    key: fixed(Key),
    type: fixed(attributeFields.type),
  }),
  examples: [
    { key: 'city', name: 'City', type: 'user' },
    { key: 'device', name: 'Device', type: 'event' },
  ],
} satisfies ResourceSchemas;

const metricFields = {
  name: Name,
  unitType: Type.Optional(Type.Enum(['number', 'currency'], { description: 'Default: `number`.' })),
  units: optional(Type.String({ description: 'What is counted, or the currency.' })),
  guards: optional(Type.Unsafe<Guards>(withoutBounds(Guards) as object)),
};

export const Metrics = {
  tag: 'Metrics',
  isPublished: true,
  one: 'metric',
  many: 'metrics',
  view: Type.Object(
    {
      id: Uuid,
      name: Text,
      key: Text,
      unitType: Type.Enum(['number', 'currency']),
      units: Text,
      guards: nullable(Guards),
    },
    { $id: 'AdminMetric' },
  ),
  create: Type.Object({ key: Key, ...metricFields }),
  update: Type.Object({ ...updateOf(metricFields).properties, key: fixed(Key) }),
  examples: [{ key: 'lessons', name: 'Lessons completed', unitType: 'number', units: 'lessons' }],
} satisfies ResourceSchemas;

const achievementFields = {
  key: Type.Optional(
    Type.String({
      description: `${KEY_MEANING} Required for trigger \`api\`; else its default is made from the name.`,
    }),
  ),
  name: Name,
  description: optional(Text),
  badge: Type.Optional(Badge),
  trigger: Type.Enum(ACHIEVEMENT_TRIGGERS, {
    description: 'What completes it. Completions stay when it changes.',
  }),
  status: Type.Optional(Type.Enum(['inactive', 'active', 'locked'], { description: 'Default: `inactive`.' })),
  hidden: Type.Optional(Type.Boolean({ description: 'If true, only users who have completed it see it.' })),
  metricId: optional(idOf('the metric. Trigger `metric` only')),
  metricValue: optional(
    Type.Number({ format: 'double', description: 'Total to reach. Trigger `metric` only.' }),
  ),
  streakLength: optional(Type.Number({ description: 'Streak length to reach. Trigger `streak` only.' })),
  anniversaryYears: optional(
    Type.Number({ description: 'Years after the sign-up date of the user. Trigger `anniversary` only.' }),
  ),
  achievementIds: optional(
    Type.Array(Text, { description: 'Ids of the prerequisites. Trigger `achievement` only.' }),
  ),
  userAttributes: optional(AttributeFilter),
  eventAttributes: optional(AttributeFilter),
};

export const Achievements = {
  tag: 'Achievements',
  one: 'achievement',
  many: 'achievements',
  view: Type.Object(
    {
      id: Uuid,
      name: Text,
      key: Text,
      description: nullable(Text),
      badge: Badge,
      trigger: achievementFields.trigger,
      status: Type.Enum(['inactive', 'active', 'locked']),
      hidden: Type.Boolean(),
      metricId: Type.Optional(Uuid),
      metricValue: Type.Optional(Double),
      streakLength: Type.Optional(Type.Integer()),
      anniversaryYears: Type.Optional(Type.Integer()),
      achievementIds: Type.Optional(Type.Array(Uuid)),
      userAttributes: AttributeFilter,
      eventAttributes: Type.Optional(AttributeFilter),
    },
    { $id: 'AdminAchievement' },
  ),
  create: Type.Object(achievementFields),
  update: updateOf(achievementFields),
  examples: [
    {
      key: 'lessons-10',
      name: 'Ten lessons',
      description: 'Complete ten lessons.',
      status: 'active',
      trigger: 'metric',
      metricId: EXAMPLE_ID,
      metricValue: 10,
    },
    { key: 'week', name: 'A week', trigger: 'streak', streakLength: 7, status: 'active' },
  ],
} satisfies ResourceSchemas;

const webhookFields = {
  name: Name,
  url: Type.String({ description: 'URL of http or https, without a user name.' }),
  events: Type.Array(Type.Enum(WEBHOOK_EVENTS)),
  status: Type.Optional(Type.Enum(['active', 'inactive'])),
};
const webhookView = {
  id: Uuid,
  name: Text,
  url: Text,
  events: webhookFields.events,
  status: Type.Enum(['active', 'inactive', 'disabled'], {
    description: '`disabled` by laurel after 410 or three days of failures; set it to `active` to resume.',
  }),
  disabledReason: Type.Optional(Type.String({ description: 'Why it is disabled.' })),
};

export const Webhooks = {
  tag: 'Webhooks',
  one: 'webhook',
  many: 'webhooks',
  view: Type.Object(webhookView, { $id: 'AdminWebhook' }),
  create: Type.Object(webhookFields),
  created: Type.Object(
    { ...webhookView, secret: Type.String({ description: 'Signs deliveries. It is shown only once.' }) },
    { $id: 'CreatedAdminWebhook' },
  ),
  update: updateOf(webhookFields),
  examples: [
    { name: 'CRM', url: 'https://example.com/laurel', events: ['achievement.completed', 'streak.lost'] },
  ],
} satisfies ResourceSchemas;
