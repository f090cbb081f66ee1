import { EVENT_VALUE_MAX, INTERVAL_MAX } from '../../base/limits.ts';
import { EXAMPLE_ID } from '../adminFields.ts';
import { TRIGGER_TYPES } from '../points.ts';
import { allowedFor, byDefault, neededFor, section, shownIfSet } from './fieldModifiers.ts';
import { aggregate, condition, filter, flag, idOf, oneOf, timeUnit, whole } from './fields.ts';
import { kind } from './kind.ts';

export const POINTS_TRIGGER = kind({
  name: 'PointsTriggers',
  list: 'triggers',
  meaning: 'What awards points.',
  path: '/points/{systemId}/triggers',
  tag: 'Points',
  isPublished: true,
  one: 'trigger',
  noun: 'points trigger',
  limit: 1_000,
  isPart: true,
  choice: 'type',
  adjustable: ['metricThreshold', 'timeInterval', 'points', 'blockIfOutOfPoints', 'status'],
  fields: {
    ...section(null, {
      type: oneOf(TRIGGER_TYPES, 'What awards points.'),
      metricId: neededFor('metric', idOf('metrics')),
      metricThreshold: neededFor(
        'metric',
        whole(
          'Points are awarded each time the total crosses a multiple of this for the first time. Negative points are taken each time a positive value crosses a multiple, also one that was crossed before.',
          { minimum: 1 },
        ),
      ),
      achievementId: neededFor('achievement', idOf('achievements')),
      streakLength: neededFor(
        'streak',
        whole('Points are awarded at every multiple of this streak length.', { minimum: 1 }),
      ),
      timeInterval: neededFor(
        'time',
        whole('Number of units between two awards.', { minimum: 1, maximum: INTERVAL_MAX }),
      ),
      timeUnit: neededFor(
        'time',
        timeUnit(
          'Unit of `timeInterval`; singular and plural mean the same. Hours are counted in UTC, days begin at midnight of the user.',
        ),
      ),
      points: whole('Points awarded each time. A negative number takes points.', {
        minimum: -EVENT_VALUE_MAX,
        not: 0,
      }),
      blockIfOutOfPoints: allowedFor(
        'metric',
        flag('If true, an event that would take more points than the user has is refused.'),
      ),
    }),
    ...section('Audience', {
      eventAttributes: allowedFor(
        'metric',
        filter('event', 'Only events with all of these attribute values count.'),
      ),
      where: allowedFor('metric', shownIfSet(condition())),
      aggregate: allowedFor('metric', shownIfSet(aggregate())),
      userAttributes: filter('user', 'Only users with all of these attribute values get the points.'),
      status: byDefault('active', oneOf(['active', 'inactive'], 'Only an active trigger awards points.'), {
        inApi: 'inactive',
      }),
    }),
  },
  examples: [
    { type: 'metric', points: 10, metricId: EXAMPLE_ID, metricThreshold: 1, status: 'active' },
    { type: 'time', points: 5, timeUnit: 'hours', timeInterval: 1, status: 'active' },
  ],
});
