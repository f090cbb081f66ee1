import Type from 'typebox';
import { operation } from '../operation.ts';
import { EMAIL_PATTERN, named, text, Uuid } from '../schemas.ts';
import { ADMIN_RESOURCES } from './adminEntities.ts';

/** How messages look: stored templates, and messages that are being written. */

const { type, channel, subject, body } = ADMIN_RESOURCES.notificationTemplates.create.properties;

const shownUser = Type.Optional(
  Type.String({ minLength: 1, description: 'User whose data is shown. Without it a sample is shown.' }),
);
const preview = {
  subject: Type.String(),
  body: Type.String(),
  html: Type.Optional(text('Email only: the body in its layout.')),
  text: Type.Optional(text('Email only: the plain text part.')),
};

export const PreviewNotificationTemplate = operation({
  name: 'previewNotificationTemplate',
  route: 'POST /notifications/templates/{id}/preview',
  role: 'read',
  tag: 'Notifications',
  summary: 'Preview a notification template',
  description: 'Answers subject and body as a user would get them. Nothing is sent.',
  path: Type.Object({ id: Uuid }),
  request: Type.Object(
    {
      userId: shownUser,
      variant: Type.Optional(text('Key of the variant that is shown. Without it the text of the template.')),
      data: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Variables that replace those of the user or the sample, such as `achievement`.',
        }),
      ),
    },
    { examples: [{ userId: 'ada', data: { achievement: { name: 'Ten lessons' } } }] },
  ),
  responses: { 200: named('NotificationPreview', preview) },
});

const draft = {
  type,
  channel,
  subject,
  body,
  userId: shownUser,
};
const EXAMPLE = {
  type: 'achievement_completed',
  channel: 'email',
  subject: 'Well done, {{ user.name }}!',
  body: '<p>You have earned <b>{{ achievement.name }}</b>.</p>',
};

export const PreviewMessage = operation({
  name: 'previewMessage',
  route: 'POST /notifications/preview',
  role: 'read',
  tag: 'Notifications',
  summary: 'Preview a message that is not saved',
  description: 'Nothing is stored or sent. A mistake in subject or body is answered with 422.',
  request: Type.Object(draft, { examples: [EXAMPLE] }),
  responses: {
    200: named('MessagePreview', {
      ...preview,
      variables: Type.Array(
        Type.Object({
          name: text('As a template names it, such as `user.name`.'),
          value: Type.Unknown({ description: 'For this user, or of the sample.' }),
        }),
        { description: 'All variables of messages of this type.' },
      ),
    }),
  },
});

export const SendTestMessage = operation({
  name: 'sendTestMessage',
  route: 'POST /notifications/test',
  role: 'operate',
  tag: 'Notifications',
  summary: 'Send a test email',
  description:
    'Sends the email to one address at once, with `Test:` before its subject and without a link to unsubscribe. It is in the audit log, and ' +
    'not among the deliveries. Without `SMTP_URL` it is written to a file.',
  request: Type.Object(
    { ...draft, channel: Type.Literal('email'), to: Type.String({ maxLength: 254, pattern: EMAIL_PATTERN }) },
    { examples: [{ ...EXAMPLE, to: 'me@example.com' }] },
  ),
  responses: { 200: named('SentTestMessage', { to: Type.String(), subject: Type.String() }) },
});
