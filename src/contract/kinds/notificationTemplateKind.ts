import { HOURS_BEFORE_END, HOURS_BEFORE_END_MAX } from '../../base/challengeLimits.ts';
import { TEMPLATE_CHARS_MAX } from '../../base/limits.ts';
import { VARIANTS_MAX, VARIANTS_MIN } from '../templateVariants.ts';
import { allowedFor, byDefault, derived, section, shownIfSet } from './fieldModifiers.ts';
import { filter, name, oneOf, text, whole } from './fields.ts';
import { kind } from './kind.ts';
import { variants } from './variantsField.ts';

export const NOTIFICATION_TEMPLATE = kind({
  name: 'NotificationTemplates',
  list: 'templates',
  meaning: 'Texts of emails and push notifications.',
  path: '/notifications/templates',
  tag: 'Notifications',
  one: 'notification template',
  limit: 500,
  choice: 'type',
  fields: {
    ...section(null, {
      name: name('It says which stored template a file means.'),
      type: oneOf(
        ['achievement_completed', 'challenge_ending', 'recap', 'reactivation', 'streak_reminder'],
        'Event that triggers the message.',
      ),
      frequency: allowedFor(
        'recap',
        oneOf(
          ['daily', 'weekly', 'monthly', 'yearly'],
          'How often a recap is sent. Without it, `aggregationPeriod` of the settings.',
        ),
      ),
      hoursBefore: allowedFor(
        'challenge_ending',
        whole(
          `How many hours before the end of the run it is sent, moved into 09:00 to 21:00 of its day. Default: ${HOURS_BEFORE_END}.`,
          { minimum: 1, maximum: HOURS_BEFORE_END_MAX },
        ),
      ),
      channel: oneOf(['email', 'push'], 'Channel of the message.'),
      status: byDefault('active', oneOf(['active', 'inactive'], 'Only an active template is sent.'), {
        inApi: 'inactive',
      }),
    }),
    ...section('Content', {
      subject: derived(
        text(
          'Subject of an email or title of a push notification, in Liquid. Default: the text of the type.',
          { charsMin: 1 },
        ),
        { takesNull: true },
      ),
      body: derived(
        text(
          'Text in Liquid; HTML for an email, which is put into a layout with the branding unless it is a whole document. Default: the text of the type.',
          { charsMin: 1, charsMax: TEMPLATE_CHARS_MAX },
        ),
        { takesNull: true },
      ),
      variants: shownIfSet(
        variants(
          `Wordings to compare: ${VARIANTS_MIN} to ${VARIANTS_MAX}. Each user gets one of them, the same one every time.`,
        ),
      ),
    }),
    ...section('Audience', {
      userAttributes: filter('user', 'Only users with all of these attribute values get it.'),
    }),
  },
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
});
