import Type from 'typebox';
import { VARIANT_MESSAGES_MAX } from '../base/consoleLimits.ts';
import { Count, date, formatQuery, Rate } from './analytics.ts';
import { confidenceQuery } from './experiment.ts';
import { operation } from './operation.ts';
import { boolean, CalendarDate, integer, named, nullable, number, text, Uuid } from './schemas.ts';

/** What the variants of a notification template have brought about (docs/analytics.md). */

/** Deliveries are kept for 30 days, so few messages are older than more days would ask for. */
const ACTIVE_DAYS_MAX = 14;

export const GetTemplateVariants = operation({
  name: 'getTemplateVariants',
  route: 'GET /notifications/templates/{id}/variants',
  tag: 'Notifications',
  summary: 'Get how many users were active after each variant of a template',
  description:
    'A user counts once, in the variant of the first message in the range. Deliveries are kept for 30 days. The interval is that of ' +
    'Newcombe (1998), method 10.',
  csv: 'variants',
  path: Type.Object({ id: Uuid }),
  query: Type.Object({
    from: date('First day of the messages; 29 days before `to` by default.'),
    to: date('Last day of the messages; today by default.'),
    days: Type.Integer({
      minimum: 1,
      maximum: ACTIVE_DAYS_MAX,
      default: 3,
      description: 'Number of days after the day of a message within which its user is active.',
    }),
    confidence: confidenceQuery,
    ...formatQuery,
  }),
  responses: {
    200: named('TemplateVariants', {
      timeZone: Type.String(),
      from: CalendarDate,
      to: CalendarDate,
      days: Count,
      countsFirstDay: boolean(
        'Whether a user who was active on the day of the message counts as active. Not for `achievement_completed`, whose users all were.',
      ),
      method: Type.String(),
      confidence: integer('Percent.'),
      isComplete: boolean(
        `False from ${VARIANT_MESSAGES_MAX.toLocaleString('en')} messages on: only the latest ones count.`,
      ),
      variants: Type.Array(
        Type.Object({
          variant: text('Key.'),
          share: nullable(integer('In the template now; null for a variant that it has no more.')),
          sent: integer('Messages.'),
          failed: integer('Messages.'),
          users: integer(
            'Users who got it in their first message of the range, and whose days after it are over.',
          ),
          activeUsers: integer('Those of them who had an event on one of these days.'),
          rate: nullable(Rate),
          difference: nullable(number('`rate` − that of the first variant. null for the first variant.')),
          differenceLow: nullable(Type.Number()),
          differenceHigh: nullable(Type.Number()),
          isSignificant: boolean('Whether the confidence interval of the difference excludes 0.'),
        }),
        { description: 'In the order of the template.' },
      ),
    }),
  },
});
