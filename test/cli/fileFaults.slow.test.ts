import { describe, expect, test } from 'vitest';
import { planConfig } from '../../src/admin/files/applyConfig.ts';
import { ConfigFileError, readConfigText, withFaults } from '../../src/admin/files/readConfigFile.ts';
import { emptyConfig } from '../../src/rules/config.ts';
import { START_MS } from '../support/testTime.ts';

/** What `laurel apply` says about a file, line by line. */
function faultsOf(text: string): string[] {
  try {
    const source = readConfigText(text, 'my.yaml');
    const issues = withFaults(source, planConfig(emptyConfig(1), source.file, START_MS).issues);
    if (issues.length > 0) throw new ConfigFileError('my.yaml', issues, source.locate);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    return error.message.split('\n  ').slice(1);
  }
}

describe('a mistake of YAML is one fault, which says what to mend:', () => {
  test.each([
    ['{', 'metrics:\n  - { key: a, name: A\nstreak: {}\n', 'line 3, column 1: the { of line 2 is not closed'],
    ['{ at the end', 'metrics:\n  - { key: a, name: A\n', 'line 3, column 1: the { of line 2 is not closed'],
    ['{ of JSON', '{ "metrics": [\n  { "key": "a" }] \n', 'line 3, column 1: the { of line 1 is not closed'],
    [
      '[ inside of {',
      'metrics:\n  - { key: [a, name: A }\n  - {}\n',
      'line 2, column 24: the [ of line 2 is not closed',
    ],
    [
      'a quote inside of {',
      'metrics:\n  - { key: "a, name: A }\npoints: []\n',
      'line 4, column 1: the " of line 2 is not closed',
    ],
    [
      'a bracket too much',
      'metrics:\n  - { key: a, name: A }}\n  - {}\n',
      'line 2, column 24: } is not expected here; a comma, quote or bracket before it may be wrong',
    ],
    [
      'an apostrophe in quotes',
      "metrics:\n  - { key: a, name: 'It's' }\n",
      "line 2, column 25: s' } is not expected here; a comma, quote or bracket before it may be wrong",
    ],
    [
      'a missing comma',
      '{ "metrics": [{ "key": "a" "name": "A" }] }',
      'line 1, column 24: a comma is missing, or an indented list is inside of brackets',
    ],
    [
      'a missing colon',
      'metrics:\n  - key: a\n    name\n    units: x\n',
      'line 3, column 5: a colon is missing after name',
    ],
    [
      'a colon in a text',
      'metrics:\n  - key: a\n    name: A: b\n',
      'line 3, column 11: a text that contains ": " needs quotes',
    ],
    ['tabs', 'metrics:\n\t- key: a\n\t  name: A\n', 'line 2, column 1: indent with spaces, not with tabs'],
    [
      'indents',
      'metrics:\n  - key: a\n   name: A\n',
      'line 3, column 1: this line is not indented like those before it',
    ],
    [
      'a reserved character',
      'metrics:\n  - key: a\n    name: @a\n',
      'line 3, column 11: a text that begins with @ needs quotes',
    ],
    ['a key', 'metrics: []\nmetrics: []\n', 'line 2, column 1: the key metrics is there twice'],
    ['an alias', 'metrics: *m\n', 'line 1, column 10: no anchor &m is set before this alias'],
    [
      'another document',
      'metrics: []\n---\npoints: []\n',
      'line 2, column 1: a second document begins here; a configuration is one',
    ],
  ])('%s', (_, text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });
});

describe('a mistake of the configuration is one fault at its key:', () => {
  test.each([
    [
      'a misspelt section, to which others refer',
      'metric: [{ key: a, name: A }]\nstreak: { metrics: [{ key: a, threshold: 1 }] }\n',
      'line 1, column 1: metric: is not a known field; did you mean "metrics"?',
    ],
    [
      'swapped letters in a required field',
      'metrics:\n  - key: a\n    nmae: A\n',
      'line 3, column 5: metrics[0].nmae: is not a known field; did you mean "name"?',
    ],
    [
      'a colon without a space',
      'metrics: [{ key: a, name:A }]\n',
      'line 1, column 21: metrics[0].name:A: is not a known field; a space must follow the colon',
    ],
    [
      'an item without a key, to which others refer',
      'metrics:\n  - name: A\nstreak:\n  metrics: [{ key: a, threshold: 1 }]\n',
      'line 2, column 5: metrics[0].key: is required',
    ],
  ])('%s', (_, text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  test('several, in the order of their lines', () => {
    const file = `metrics:
  - { key: lessons, name: 1 }
points:
  - key: xp
    name: XP
    triggers: [{ type: metric, metric: lesons, metricThreshold: 1, points: 1 }]
settings:
  multiTenancy: perhaps
`;
    expect(faultsOf(file)).toEqual([
      'line 2, column 21: metrics[0].name: must be a string',
      'line 6, column 32: points[0].triggers[0].metric: there is no metric "lesons"; did you mean "lessons"?',
      'line 8, column 3: settings.multiTenancy: must be true or false',
    ]);
  });
});
