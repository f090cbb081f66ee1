import Type from 'typebox';
import { NAME_CHARS_MAX, TEMPLATE_CHARS_MAX, TEXT_CHARS_MAX } from '../base/limits.ts';
import { Fields, filter } from './configFields.ts';
import { WEBHOOK_SECRET_PATTERN } from './schemas.ts';
import { WEBHOOK_EVENTS } from './webhooks.ts';

/** Webhooks and templates in a configuration file. */

export const WebhookItem = Fields({
  name: Type.String({
    minLength: 1,
    maxLength: NAME_CHARS_MAX,
    description: 'Name shown to people. It says which stored webhook is meant.',
  }),
  url: Type.String({
    format: 'uri',
    maxLength: TEXT_CHARS_MAX,
    description: 'URL of http or https, without a user name.',
  }),
  events: Type.Array(Type.Enum(WEBHOOK_EVENTS), { description: 'What is reported. At least one.' }),
  status: Type.Optional(
    Type.Enum(['active', 'inactive'], {
      description:
        'Only an active webhook gets deliveries. Without it, a webhook that laurel has disabled stays so.',
      default: 'active',
    }),
  ),
  secret: Type.Optional(
    Type.String({
      pattern: WEBHOOK_SECRET_PATTERN,
      description:
        'Signs what is delivered: `whsec_` and 24 to 64 bytes in base64. A replaced one stays valid for a day. Without it, the stored secret stays and a new webhook gets one.',
    }),
  ),
  secretFromEnv: Type.Optional(
    Type.String({
      description:
        'Environment variable of `laurel apply` that holds the secret, so that the file does not. The service refuses it over HTTP.',
    }),
  ),
});

export const TemplateItem = Fields({
  name: Type.String({
    minLength: 1,
    maxLength: NAME_CHARS_MAX,
    description: 'Name shown to people. It says which stored template is meant.',
  }),
  type: Type.Enum(['achievement_completed', 'recap', 'reactivation', 'streak_reminder'], {
    description: 'When it is sent.',
  }),
  channel: Type.Enum(['email', 'push'], { description: 'How it is sent.' }),
  status: Type.Optional(
    Type.Enum(['active', 'inactive'], { description: 'Only an active template is sent.', default: 'active' }),
  ),
  subject: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEXT_CHARS_MAX,
      description:
        'Subject of an email or title of a push notification, in Liquid. Default: the text of the type.',
    }),
  ),
  body: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEMPLATE_CHARS_MAX,
      description: 'Text in Liquid; HTML for an email. Default: the text of the type.',
    }),
  ),
  frequency: Type.Optional(
    Type.Enum(['daily', 'weekly', 'monthly', 'yearly'], {
      description:
        'How often a recap is sent. Type `recap` only. Without it, `aggregationPeriod` of the settings.',
    }),
  ),
  userAttributes: filter('Only users with all of these attribute values get it.'),
});
