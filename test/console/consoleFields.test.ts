import { describe, expect, test } from 'vitest';
import { faultOf, hasFaults } from '../../src/console/ui/form/faults.ts';
import { unsetChoice } from '../../src/console/ui/form/labels.ts';
import { keyFromName, type Schema } from '../../src/console/ui/form/schema.ts';
import { formSchemas } from '../../src/contract/configured/formSchemas.ts';

/** What a form of the console says of a value while it is typed. */
const forms = formSchemas() as unknown as Record<string, Schema>;
const fieldOf = (form: string, name: string): Schema => forms[form]!.properties![name]!;

test.each([
  ['metrics', 'name', '', 'Required.'],
  ['metrics', 'key', 'two words', 'Use only letters, digits, - and _.'],
  ['metrics', 'key', 'two-words', null],
  ['metrics', 'name', 'x'.repeat(256), 'Must have at most 255 characters.'],
  ['achievements', 'metricValue', 0, 'Must be greater than 0.'],
  ['achievements', 'metricValue', 0.5, null],
  ['achievements', 'streakLength', 1.5, 'Enter a whole number.'],
  ['achievements', 'streakLength', 0, 'Must be at least 1.'],
  ['triggers', 'points', 0, 'Must not be 0.'],
  ['triggers', 'points', -5, null],
  ['boosts', 'multiplier', 100, 'Must be less than 100.'],
  ['webhooks', 'url', 'example.com/hook', 'Enter a URL such as https://example.com/image.png.'],
  ['webhooks', 'url', 'https://example.com/hook', null],
  ['leaderboards', 'startTime', '8:30', 'Enter a time such as 08:30.'],
  ['leaderboards', 'maxParticipants', 1001, 'Must be at most 1,000.'],
  ['leaderboards', 'startTime', '', null],
])('%s, %s: %j is answered %j', (form, name, value, expected) => {
  const isRequired = forms[form]!.required?.includes(name) ?? false;
  expect(faultOf(fieldOf(form, name), value, isRequired)).toBe(expected);
});

describe('a form', () => {
  const level = { name: 'Gold', key: 'gold', points: 100 };

  test('without faults is submitted, also if an optional object is absent or empty', () => {
    expect(hasFaults(forms.levels!, level)).toBe(false);
    expect(hasFaults(forms.levels!, { ...level, badge: { url: '' } })).toBe(false);
  });

  test('has a fault inside an object and inside a list', () => {
    expect(hasFaults(forms.levels!, { ...level, badge: { url: 'none' } })).toBe(true);
    const limits = [{ per: 'day', events: 3 }, { events: 3 }];
    expect(hasFaults(forms.metrics!, { name: 'Laps', key: 'laps', guards: { limits } })).toBe(true);
  });

  test('ignores faults of fields that are not shown', () => {
    const value = { name: 'Run', key: 'run', rankBy: 'streak', runInterval: 0 };
    expect(hasFaults(forms.leaderboards!, value)).toBe(true);
    expect(hasFaults(forms.leaderboards!, value, (name) => name !== 'runInterval')).toBe(false);
  });
});

test.each([
  ['Lessons completed', 'lessons-completed'],
  ['  Été à Paris! ', 'ete-a-paris'],
  ['日本', ''],
])('the key of the name %j is %j', (name, key) => expect(keyFromName(name)).toBe(key));

test('a choice that is left open says what it means', () => {
  const { description } = fieldOf('leaderboards', 'aggregation');
  expect(unsetChoice(['aggregation'], description)).toBe('Default: Sum of all events');
  expect(unsetChoice(['runUnit'], fieldOf('leaderboards', 'runUnit').description)).toBe('Never');
});
