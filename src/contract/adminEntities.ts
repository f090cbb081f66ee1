import Type from 'typebox';
import { WEBHOOK_EVENTS } from '../base/webhookEvents.ts';
import type { ResourceSchemas } from './admin.ts';
import { AttributeFilter, fixed, optional, Text, updateOf, Whole } from './adminFields.ts';
import { operation } from './operation.ts';
import { AttributePair, CalendarDate, Double, nullable, Uuid } from './schemas.ts';

const attributeFields = { name: Text, key: Text, type: Type.Enum(['user', 'event']) };

export const Attributes = {
  tag: 'Attributes',
  one: 'attribute',
  many: 'attributes',
  view: Type.Object({ id: Uuid, ...attributeFields }, { $id: 'AdminAttribute' }),
  create: Type.Object(attributeFields),
  update: Type.Object({
    id: Uuid,
    name: Type.Optional(Text),
    key: fixed(Text),
    type: fixed(attributeFields.type),
  }),
} satisfies ResourceSchemas;

const metricFields = { name: Text, unitType: Type.Optional(Type.Enum(['number', 'currency'])), units: optional(Text) };

export const Metrics = {
  tag: 'Metrics',
  one: 'metric',
  many: 'metrics',
  view: Type.Object(
    { id: Uuid, name: Text, key: Text, unitType: Type.Enum(['number', 'currency']), units: Text },
    { $id: 'AdminMetric' },
  ),
  create: Type.Object({ key: Text, ...metricFields }),
  update: Type.Object({ ...updateOf(metricFields).properties, key: fixed(Text) }),
} satisfies ResourceSchemas;

const achievementFields = {
  name: Text,
  description: optional(Text),
  badgeUrl: optional(Text),
  trigger: Type.Enum(['metric', 'streak', 'api', 'achievement']),
  status: Type.Optional(Type.Enum(['inactive', 'active', 'locked'])),
  hidden: Type.Optional(Type.Boolean({ description: 'Shown to those only who have completed it.' })),
  metricId: optional(Text),
  metricValue: optional(Double),
  streakLength: optional(Whole),
  achievementIds: optional(Type.Array(Text)),
  userAttributes: optional(Type.Array(AttributePair)),
  eventAttributes: optional(Type.Array(AttributePair)),
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
      badgeUrl: nullable(Text),
      trigger: achievementFields.trigger,
      status: Type.Enum(['inactive', 'active', 'locked']),
      hidden: Type.Boolean(),
      metricId: Type.Optional(Uuid),
      metricName: Type.Optional(Text),
      metricValue: Type.Optional(Double),
      streakLength: Type.Optional(Type.Integer()),
      achievementIds: Type.Optional(Type.Array(Uuid)),
      userAttributes: Type.Array(AttributePair),
      eventAttribute: Type.Optional(AttributePair),
      eventAttributes: Type.Optional(Type.Array(AttributePair)),
    },
    { $id: 'AdminAchievement' },
  ),
  create: Type.Object({ key: Text, ...achievementFields }),
  update: Type.Object({ ...updateOf(achievementFields).properties, key: fixed(Text) }),
} satisfies ResourceSchemas;

const LeaderboardStatus = Type.Enum(['inactive', 'scheduled', 'active', 'finished']);
const leaderboardFields = {
  name: Text,
  key: Text,
  description: optional(Text),
  status: Type.Optional(LeaderboardStatus),
  rankBy: Type.Enum(['metric', 'points', 'streak']),
  metricId: optional(Text),
  pointsSystemId: optional(Text),
  maxParticipants: optional(Whole),
  start: Type.Optional(Text),
  end: optional(Text),
  startTime: optional(Text),
  endTime: optional(Text),
  breakdownAttributes: optional(Type.Array(Text)),
  runUnit: optional(Type.Enum(['day', 'month', 'year'])),
  runInterval: optional(Whole),
};

export const Leaderboards = {
  tag: 'Leaderboards',
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
      maxParticipants: nullable(Type.Integer()),
      start: CalendarDate,
      end: Type.Optional(CalendarDate),
      startTime: Type.Optional(Text),
      endTime: Type.Optional(Text),
      breakdownAttributes: Type.Array(Uuid),
      runUnit: Type.Optional(Type.Enum(['day', 'month', 'year'])),
      runInterval: Type.Optional(Type.Integer()),
    },
    { $id: 'AdminLeaderboard' },
  ),
  create: Type.Object(leaderboardFields),
  update: updateOf(leaderboardFields),
} satisfies ResourceSchemas;

const webhookFields = {
  name: Text,
  url: Text,
  events: Type.Array(Type.Enum(WEBHOOK_EVENTS)),
  status: Type.Optional(Type.Enum(['active', 'inactive'])),
};
const webhookView = {
  id: Uuid,
  name: Text,
  url: Text,
  events: webhookFields.events,
  status: Type.Enum(['active', 'inactive']),
};

export const Webhooks = {
  tag: 'Webhooks',
  one: 'webhook',
  many: 'webhooks',
  view: Type.Object(webhookView, { $id: 'AdminWebhook' }),
  create: Type.Object(webhookFields),
  created: Type.Object(
    { ...webhookView, secret: Type.String({ description: 'Signs what is delivered. Shown this once.' }) },
    { $id: 'CreatedAdminWebhook' },
  ),
  update: updateOf(webhookFields),
} satisfies ResourceSchemas;

const templateFields = {
  name: Text,
  type: Type.Enum(['achievement_completed', 'recap', 'reactivation', 'streak_reminder']),
  channel: Type.Enum(['email', 'push']),
  status: Type.Optional(Type.Enum(['active', 'inactive'])),
  subject: Type.String({ description: 'Of an email; the title of a push notification. Liquid, as is the body.' }),
  body: Text,
  userAttributes: optional(AttributeFilter),
};

export const NotificationTemplates = {
  tag: 'Notifications',
  one: 'notification template',
  many: 'notification templates',
  view: Type.Object(
    {
      id: Uuid,
      name: Text,
      type: templateFields.type,
      channel: templateFields.channel,
      status: Type.Enum(['active', 'inactive']),
      subject: templateFields.subject,
      body: Text,
      userAttributes: AttributeFilter,
    },
    { $id: 'AdminNotificationTemplate' },
  ),
  create: Type.Object(templateFields),
  update: updateOf(templateFields),
} satisfies ResourceSchemas;

export const PreviewNotificationTemplate = operation({
  tag: 'Notifications',
  summary: 'Preview a notification template',
  description: 'Subject and body as a user would get them. Nothing is sent.',
  access: 'admin',
  path: Type.Object({ id: Uuid }),
  request: Type.Object({
    userId: Type.Optional(Type.String({ minLength: 1, description: 'Whose data to show; a sample without it.' })),
    data: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Variables to put in the place of those of the user or the sample, such as `achievement`.',
      }),
    ),
  }),
  responses: { 200: Type.Object({ subject: Text, body: Text }, { $id: 'NotificationPreview' }) },
  mayMiss: true,
});
