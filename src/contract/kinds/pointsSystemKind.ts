import Type from 'typebox';
import { EXAMPLE_ID } from '../adminFields.ts';
import { REFERRED } from './field.ts';
import { fixed, nullable, section } from './fieldModifiers.ts';
import { image, key, name, text, whole } from './fields.ts';
import { kind } from './kind.ts';

export const POINTS_SYSTEM = kind({
  name: 'PointsSystems',
  list: 'points',
  meaning: 'Points systems with their levels, triggers and boosts.',
  path: '/points',
  tag: 'Points',
  isPublished: true,
  one: REFERRED.pointsSystems,
  limit: 50,
  fields: {
    ...section(null, { key: fixed(key('Key of the points system.')), name: name() }),
    ...section('Appearance', {
      // A system without one is shown with an empty one.
      description: { ...nullable(text('Text shown to users.')), shown: Type.String() },
      badgeUrl: image(),
    }),
    ...section('Bounds', {
      maxPoints: nullable(
        whole(
          'Highest total a user can have. Without it there is no maximum. If it is lowered, users keep what they have, but get no more.',
          { minimum: 1 },
        ),
      ),
    }),
  },
  derived: { status: Type.Enum(['active', 'archived']) },
  examples: [
    {
      key: 'xp',
      name: 'XP',
      description: 'Experience',
      maxPoints: null,
      levels: [{ key: 'bronze', name: 'Bronze', points: 50 }],
      triggers: [{ type: 'metric', points: 10, metricId: EXAMPLE_ID, metricThreshold: 1, status: 'active' }],
      boosts: [],
    },
  ],
});
