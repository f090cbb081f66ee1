import Type from 'typebox';
import { MULTIPLIER_BELOW, USER_ID_CHARS_MAX } from '../../base/limits.ts';
import { byDefault, fixed, nullable, section } from './fieldModifiers.ts';
import { date, factor, filter, name, oneOf, text } from './fields.ts';
import { kind } from './kind.ts';

export const POINTS_BOOST = kind({
  name: 'PointsBoosts',
  list: 'boosts',
  meaning: 'Multipliers of awards.',
  path: '/points/{systemId}/boosts',
  tag: 'Points',
  isPublished: true,
  one: 'boost',
  limit: 1_000,
  isPart: true,
  fields: {
    ...section(null, {
      name: name(),
      multiplier: factor('Factor of positive awards. Factors of several boosts are multiplied.', {
        below: MULTIPLIER_BELOW,
      }),
      rounding: byDefault(
        'down',
        oneOf(
          ['down', 'up', 'nearest'],
          'How the product is rounded. If several boosts apply, `down` takes precedence over `nearest`, and `nearest` over `up`.',
        ),
      ),
      start: date('First day, in the time zone of each user.'),
      end: nullable(date('Last day, in the time zone of each user. Without it the boost does not end.')),
    }),
    ...section('Audience', {
      userId: fixed(
        nullable(text('Limits the boost to this user.', { charsMin: 1, charsMax: USER_ID_CHARS_MAX })),
      ),
      userAttributes: filter('user', 'Only users with all of these attribute values get the boost.'),
    }),
  },
  derived: { status: Type.Enum(['active', 'scheduled', 'finished']) },
  examples: [
    { name: 'Double week', start: '2026-12-21', end: '2026-12-27', multiplier: 2, rounding: 'down' },
  ],
});
