import { REFERRED } from './field.ts';
import { byDefault, fixed, section } from './fieldModifiers.ts';
import { guards, key, name, oneOf, text } from './fields.ts';
import { kind } from './kind.ts';

export const METRIC = kind({
  name: 'Metrics',
  list: 'metrics',
  meaning: 'What events are recorded against.',
  path: '/metrics',
  tag: 'Metrics',
  isPublished: true,
  one: REFERRED.metrics,
  limit: 500,
  fields: {
    ...section(null, { key: fixed(key('Key of the metric.')), name: name() }),
    ...section('Unit', {
      unitType: byDefault('number', oneOf(['number', 'currency'], 'What the values are.')),
      units: byDefault('', text('What is counted, or the currency.')),
      // null: every valid event counts.
      guards: guards('What its events must satisfy.'),
    }),
  },
  examples: [{ key: 'lessons', name: 'Lessons completed', unitType: 'number', units: 'lessons' }],
});
