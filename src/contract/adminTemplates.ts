import Type from 'typebox';
import type { ResourceSchemas } from './admin.ts';
import { AttributeFilter, Name, optional, Text, updateOf } from './adminFields.ts';
import { operation } from './operation.ts';
import { Uuid } from './schemas.ts';

const RecapFrequency = Type.Enum(['daily', 'weekly', 'monthly', 'yearly'], {
  description:
    'How often a recap is sent. Type `recap` only. Without it, `aggregationPeriod` of the settings.',
});

const templateFields = {
  name: Name,
  type: Type.Enum(['achievement_completed', 'recap', 'reactivation', 'streak_reminder']),
  channel: Type.Enum(['email', 'push']),
  status: Type.Optional(Type.Enum(['active', 'inactive'])),
  subject: optional(
    Type.String({
      description:
        'Subject of an email or title of a push notification, in Liquid. Default: the text of the type.',
    }),
  ),
  body: optional(
    Type.String({
      description:
        'Text in Liquid. The body of an email is HTML. It is put into a layout with the branding unless it is a whole document.',
    }),
  ),
  frequency: optional(RecapFrequency),
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
      subject: Text,
      body: Text,
      frequency: Type.Optional(RecapFrequency),
      userAttributes: AttributeFilter,
    },
    { $id: 'AdminNotificationTemplate' },
  ),
  create: Type.Object(templateFields),
  update: updateOf(templateFields),
  examples: [
    {
      name: 'Well done',
      type: 'achievement_completed',
      channel: 'email',
      status: 'active',
      subject: 'Well done, {{ user.name }}!',
      body: '<p>You have earned <b>{{ achievement.name }}</b>.</p>',
    },
  ],
} satisfies ResourceSchemas;

export const PreviewNotificationTemplate = operation({
  role: 'read',
  tag: 'Notifications',
  summary: 'Preview a notification template',
  description: 'Answers subject and body as a user would get them. Nothing is sent.',
  access: 'admin',
  path: Type.Object({ id: Uuid }),
  request: Type.Object(
    {
      userId: Type.Optional(
        Type.String({ minLength: 1, description: 'User whose data is shown. Without it a sample is shown.' }),
      ),
      data: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Variables that replace those of the user or the sample, such as `achievement`.',
        }),
      ),
    },
    { examples: [{ userId: 'ada', data: { achievement: { name: 'Ten lessons' } } }] },
  ),
  responses: {
    200: Type.Object(
      {
        subject: Text,
        body: Text,
        html: Type.Optional(Type.String({ description: 'Email only: the body in its layout.' })),
        text: Type.Optional(Type.String({ description: 'Email only: the plain text part.' })),
      },
      { $id: 'NotificationPreview' },
    ),
  },
  mayMiss: true,
});
