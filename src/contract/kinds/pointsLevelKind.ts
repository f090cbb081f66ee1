import { byDefault, fixed, section } from './fieldModifiers.ts';
import { image, key, name, text, whole } from './fields.ts';
import { kind } from './kind.ts';

export const POINTS_LEVEL = kind({
  name: 'PointsLevels',
  list: 'levels',
  meaning: 'Levels of the system.',
  path: '/points/{systemId}/levels',
  tag: 'Points',
  isPublished: true,
  one: 'level',
  limit: 2_000,
  isPart: true,
  fields: {
    ...section(null, {
      key: fixed(key('Key of the level, unique within its points system.')),
      name: name(),
      points: whole('Total that reaches the level. Each level of a system needs a different one.', {
        minimum: 0,
      }),
    }),
    ...section('Appearance', {
      description: byDefault('', text('Text shown to users.')),
      badgeUrl: image(),
    }),
  },
  examples: [{ key: 'bronze', name: 'Bronze', points: 50, badge: { url: 'https://example.com/bronze.png' } }],
});
