import Type from 'typebox';
import { NotificationTemplates } from './adminTemplates.ts';
import { operation } from './operation.ts';
import { EMAIL_PATTERN } from './schemas.ts';

/** Messages that are being written: how they look, and a test to one's own address. */

const { type, channel, subject, body } = NotificationTemplates.create.properties;

const draft = {
  type,
  channel,
  subject,
  body,
  userId: Type.Optional(
    Type.String({ minLength: 1, description: 'User whose data is shown. Without it a sample is shown.' }),
  ),
};
const EXAMPLE = {
  type: 'achievement_completed',
  channel: 'email',
  subject: 'Well done, {{ user.name }}!',
  body: '<p>You have earned <b>{{ achievement.name }}</b>.</p>',
};

export const PreviewMessage = operation({
  role: 'read',
  tag: 'Notifications',
  summary: 'Preview a message that is not saved',
  description: 'Nothing is stored or sent. A mistake in subject or body is answered with 422.',
  access: 'admin',
  request: Type.Object(draft, { examples: [EXAMPLE] }),
  responses: {
    200: Type.Object(
      {
        subject: Type.String(),
        body: Type.String(),
        html: Type.Optional(Type.String({ description: 'Email only: the body in its layout.' })),
        text: Type.Optional(Type.String({ description: 'Email only: the plain text part.' })),
        variables: Type.Array(
          Type.Object({
            name: Type.String({ description: 'As a template names it, such as `user.name`.' }),
            value: Type.Unknown({ description: 'For this user, or of the sample.' }),
          }),
          { description: 'All variables of messages of this type.' },
        ),
      },
      { $id: 'MessagePreview' },
    ),
  },
  mayMiss: true,
});

export const SendTestMessage = operation({
  role: 'operate',
  tag: 'Notifications',
  summary: 'Send a test email',
  description:
    'Sends the email to one address at once, with `Test:` before its subject and without a link to unsubscribe. It is in the audit log, and ' +
    'not among the deliveries. Without `SMTP_URL` it is written to a file.',
  access: 'admin',
  request: Type.Object(
    { ...draft, channel: Type.Literal('email'), to: Type.String({ maxLength: 254, pattern: EMAIL_PATTERN }) },
    { examples: [{ ...EXAMPLE, to: 'me@example.com' }] },
  ),
  responses: {
    200: Type.Object({ to: Type.String(), subject: Type.String() }, { $id: 'SentTestMessage' }),
  },
  mayMiss: true,
});
