import Type from 'typebox';
import { IDEMPOTENCY_KEY_CHARS_MAX, TEMPLATE_CHARS_MAX, TEXT_CHARS_MAX } from '../base/limits.ts';
import { BATCH } from './admin.ts';
import { Reason, Text } from './adminFields.ts';
import { userIssues } from './adminStreaks.ts';
import { operation } from './operation.ts';
import { NotificationChannel } from './preferences.ts';
import { integer, named, nullable, text, Uuid } from './schemas.ts';

/** A message that an administrator sends to many users, once. */

const textOf = (subject: string, body: string) =>
  Type.Object({
    subject: Type.String({ minLength: 1, maxLength: TEXT_CHARS_MAX, description: subject }),
    body: Type.String({ minLength: 1, maxLength: TEMPLATE_CHARS_MAX, description: body }),
  });
const email = textOf(
  'In Liquid, such as `Hello {{ user.name }}`.',
  'HTML in Liquid, which is put into a layout with the branding unless it is a whole document.',
);
const push = textOf('The title, in Liquid.', 'Text in Liquid.');
export type MessageText = Type.Static<typeof email>;

const texts = { email: Type.Optional(email), push: Type.Optional(push) };
export const MessageTexts = Type.Object(texts);
const users = Type.Array(Type.Object({ id: Text }), BATCH);
const EXAMPLE = {
  users: [{ id: 'ada' }, { id: 'bob' }],
  email: { subject: 'We are sorry, {{ user.name }}', body: '<p>The app was down. Your streak is back.</p>' },
  push: { subject: 'We are sorry', body: 'Your streak is back.' },
};

const ChannelReach = named('MessageChannelReach', {
  channel: NotificationChannel,
  users: integer('Users who would get it.'),
  suppressed: Type.Array(
    Type.Object({ reason: text('As in the log of deliveries, such as `no_email`.'), users: Type.Integer() }),
  ),
});
export type ChannelReach = Type.Static<typeof ChannelReach>;

export const PreviewUserMessage = operation({
  name: 'previewUserMessage',
  route: 'POST /notifications/messages/preview',
  role: 'read',
  tag: 'Notifications',
  summary: 'Preview a message to users',
  description:
    'Says how many of these users would get it through each channel and how many would not, and why, and shows it as the first one would ' +
    'get it. Nothing is stored or sent. Whether a push service is configured is known only to the workers.',
  request: Type.Object({ users, ...texts }, { examples: [EXAMPLE] }),
  responses: {
    200: named('UserMessagePreview', {
      users: integer('Users who would get it through at least one channel.'),
      channels: Type.Array(ChannelReach),
      shown: nullable(
        Type.Object({
          userId: Type.String(),
          email: Type.Optional(
            Type.Object({ subject: Type.String(), html: Type.String(), text: Type.String() }),
          ),
          push: Type.Optional(Type.Object({ subject: Type.String(), body: Type.String() })),
        }),
      ),
      issues: userIssues,
    }),
  },
});

const sent = Type.Object({
  id: Uuid,
  users: Type.Array(Type.String(), { description: 'Users for whom this call created deliveries.' }),
  issues: userIssues,
});
export const SendUserMessage = operation({
  name: 'sendUserMessage',
  route: 'POST /notifications/messages',
  role: 'operate',
  tag: 'Notifications',
  summary: 'Send a message to users',
  description:
    'Creates a delivery for each user and channel, which workers send or suppress like other notifications, between 09:00 and 21:00 of the ' +
    'user. Calls with the same `idempotencyKey` send one message, to each user once, so a call can be repeated, and several calls reach more ' +
    'than 100 users. The key is known for 30 days; another text under it is refused with 422. The status is 201 if any delivery was created, ' +
    'else 200. A message cannot be taken back.',
  request: Type.Object(
    {
      users,
      ...texts,
      reason: Reason,
      idempotencyKey: Type.String({ minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX }),
    },
    { examples: [{ ...EXAMPLE, reason: 'The outage of 21 November', idempotencyKey: 'outage-4711' }] },
  ),
  responses: { 200: sent, 201: sent },
});
