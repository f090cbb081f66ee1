import { fixed, section } from './fieldModifiers.ts';
import { key, name, oneOf } from './fields.ts';
import { kind } from './kind.ts';

export const ATTRIBUTE_TYPES = ['user', 'event'] as const;

/** A field that users or events can have. */
export const ATTRIBUTE = kind({
  name: 'Attributes',
  list: 'attributes',
  meaning: 'Attributes that users and events can have.',
  path: '/attributes',
  tag: 'Attributes',
  isPublished: true,
  one: 'attribute',
  limit: 200,
  fields: section(null, {
    key: fixed(key('Key of the attribute, unique within its type.')),
    name: name(),
    type: fixed(oneOf(ATTRIBUTE_TYPES, 'Whether it is an attribute of users or of events.')),
  }),
  examples: [
    { key: 'city', name: 'City', type: 'user' },
    { key: 'device', name: 'Device', type: 'event' },
  ],
});

const { type: _type, ...fields } = ATTRIBUTE.fields;
/** The same in a file, which has a list for each type. */
export const ATTRIBUTE_OF_TYPE = { ...ATTRIBUTE, fields };
