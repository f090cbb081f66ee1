import { byDefault, fixed, section, shownIfSet } from './fieldModifiers.ts';
import { key, name, oneOf } from './fields.ts';
import { kind } from './kind.ts';

export const ATTRIBUTE_TYPES = ['user', 'event'] as const;
export type AttributeType = (typeof ATTRIBUTE_TYPES)[number];

/** What values are compared as. They are stored and answered as texts. */
export const VALUE_TYPES = ['text', 'number', 'boolean', 'date'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

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
    valueType: shownIfSet(
      byDefault(
        'text',
        oneOf(
          VALUE_TYPES,
          'What its values are. A value is accepted as JSON of the type or as its text; others are refused. It cannot change while a condition or an aggregate names the attribute.',
        ),
      ),
    ),
  }),
  examples: [
    { key: 'city', name: 'City', type: 'user' },
    { key: 'device', name: 'Device', type: 'event' },
    { key: 'distance', name: 'Distance in km', type: 'event', valueType: 'number' },
  ],
});

const { type: _type, ...fields } = ATTRIBUTE.fields;
/** The same in a file, which has a list for each type. */
export const ATTRIBUTE_OF_TYPE = { ...ATTRIBUTE, fields };
