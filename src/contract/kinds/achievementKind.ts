import Type from 'typebox';
import { ACHIEVEMENT_TRIGGERS } from '../achievement.ts';
import { EXAMPLE_ID } from '../adminFields.ts';
import { PERIODS } from '../conditions/condition.ts';
import { REFERRED } from './field.ts';
import { allowedFor, byDefault, neededFor, nullable, section, shownIfSet } from './fieldModifiers.ts';
import {
  aggregate,
  condition,
  filter,
  flag,
  idOf,
  image,
  key,
  name,
  oneOf,
  positive,
  text,
  whole,
} from './fields.ts';
import { kind } from './kind.ts';
import { prerequisites } from './prerequisitesField.ts';

/** Years after a sign-up date for which an anniversary may be. */
const ANNIVERSARY_YEARS_MAX = 200;

export const ACHIEVEMENT = kind({
  name: 'Achievements',
  list: 'achievements',
  meaning: 'What users can complete.',
  path: '/achievements',
  tag: 'Achievements',
  one: REFERRED.achievements,
  limit: 1_000,
  choice: 'trigger',
  fields: {
    ...section(null, {
      key: {
        ...key('Key of the achievement.'),
        // '' becomes a key made from the name.
        defaultInApi: '',
        given: (description: string) =>
          Type.Optional(
            Type.String({
              description: `${description} Required for trigger \`api\`; else its default is made from the name.`,
            }),
          ),
      },
      name: name(),
    }),
    ...section('Completion', {
      trigger: oneOf(
        ACHIEVEMENT_TRIGGERS,
        'How it is completed: the total of a metric, the length of the streak, a call of the API, other achievements, or years since the sign-up date. Completions stay when it changes.',
      ),
      metricId: neededFor('metric', idOf('metrics')),
      metricValue: neededFor('metric', positive('Total to reach.')),
      streakLength: neededFor('streak', whole('Streak length to reach.', { minimum: 1 })),
      achievementIds: neededFor(
        'achievement',
        prerequisites(
          'the prerequisites: all of a list, or `atLeast` so many `of` a list. Cycles are refused.',
        ),
      ),
      anniversaryYears: neededFor(
        'anniversary',
        whole('Years after the sign-up date of the user.', { minimum: 1, maximum: ANNIVERSARY_YEARS_MAX }),
      ),
      eventAttributes: allowedFor(
        'metric',
        filter('event', 'Only events with all of these attribute values count.'),
      ),
      where: allowedFor('metric', shownIfSet(condition())),
      aggregate: allowedFor('metric', shownIfSet(aggregate())),
      per: allowedFor(
        'metric',
        shownIfSet(
          oneOf(
            PERIODS,
            'Counts within one such period of the user’s calendar: it is completed in the first period that reaches `metricValue`.',
          ),
        ),
      ),
      repeat: allowedFor(
        'metric',
        shownIfSet(
          oneOf(
            PERIODS,
            'Must be the same as `per`: it is completed once in every such period that reaches `metricValue`, and points and webhooks follow each time. Statistics, notifications and prerequisites know the first time.',
          ),
        ),
      ),
      userAttributes: filter('user', 'Only users with all of these attribute values can complete it.'),
    }),
    ...section('Appearance', {
      description: nullable(text('Text shown to users.')),
      badgeUrl: image(),
      hidden: flag('If true, only users who have completed it see it.'),
      status: byDefault(
        'active',
        oneOf(
          ['inactive', 'active', 'locked'],
          'Only an active achievement can be completed. A locked one is shown only to users who have it, an inactive one to nobody.',
        ),
        { inApi: 'inactive' },
      ),
    }),
  },
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
});
