import Type from 'typebox';
import { text, WEBHOOK_SECRET_PATTERN } from '../schemas.ts';
import { WEBHOOK_EVENTS } from '../webhooks.ts';
import { byDefault } from './fieldModifiers.ts';
import { name, oneOf, someOf, webUrl } from './fields.ts';
import { kind } from './kind.ts';

export const WEBHOOK = kind({
  name: 'Webhooks',
  list: 'webhooks',
  meaning: 'URLs of yours that laurel reports events to.',
  path: '/webhooks',
  tag: 'Webhooks',
  one: 'webhook',
  limit: 100,
  fields: {
    name: name('It says which stored webhook a file means.'),
    url: webUrl('URL of http or https, without a user name.'),
    events: someOf(WEBHOOK_EVENTS, 'What is reported. At least one.'),
    status: {
      ...byDefault(
        'active',
        oneOf(
          ['active', 'inactive'],
          'Only an active webhook gets deliveries. Without it, a webhook that laurel has disabled stays so.',
        ),
      ),
      shown: Type.Enum(['active', 'inactive', 'disabled'], {
        description:
          '`disabled` by laurel after 410 or three days of failures; set it to `active` to resume.',
      }),
    },
  },
  onlyInFile: {
    secret: Type.Optional(
      Type.String({
        pattern: WEBHOOK_SECRET_PATTERN,
        description:
          'Signs what is delivered: `whsec_` and 24 to 64 bytes in base64. A replaced one stays valid for a day. Without it, the stored secret stays and a new webhook gets one.',
      }),
    ),
    secretFromEnv: Type.Optional(
      text(
        'Environment variable of `laurel apply` that holds the secret, so that the file does not. The service refuses it over HTTP.',
      ),
    ),
  },
  shownOnce: { secret: text('Signs deliveries. It is shown only once.') },
  derived: { disabledReason: Type.Optional(text('Why it is disabled.')) },
  examples: [
    { name: 'CRM', url: 'https://example.com/laurel', events: ['achievement.completed', 'streak.lost'] },
  ],
});
