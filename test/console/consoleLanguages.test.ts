import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { LANGUAGES } from '../../src/console/text/language.ts';
import { contractTexts, readConsoleTexts } from '../support/consoleTexts.ts';

/** The catalogues have the texts of the console: all of them, and no others. */
const FOLDER = join(packageRoot(), 'src', 'console', 'text', 'languages');
const { texts, plurals, wrong } = readConsoleTexts();
const singles = new Set([...texts, ...contractTexts()]);
const catalogues = LANGUAGES.filter((language) => language !== 'en');
type Catalogue = Record<string, string | Record<string, string>>;
const read = (language: string): Catalogue =>
  JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8'));

/** The placeholders of a text, each once. */
const placeholdersOf = (text: string): string[] =>
  [...new Set(Array.from(text.matchAll(/\{\w+\}/g), ([placeholder]) => placeholder))].sort();

test('all texts of the console are given to a function that translates them', () => {
  expect(wrong).toEqual([]);
  expect(texts.size).toBeGreaterThan(1000);
});

test('a text has a number everywhere or nowhere', () => {
  expect([...plurals.keys()].filter((text) => singles.has(text))).toEqual([]);
});

test.each(catalogues)('%s has each text, and no text that nobody uses', (language) => {
  const catalogue = read(language);
  const known = Object.keys(catalogue);
  expect([...singles, ...plurals.keys()].filter((text) => !known.includes(text))).toEqual([]);
  expect(known.filter((text) => !singles.has(text) && !plurals.has(text))).toEqual([]);
});

test.each(catalogues)('%s has the placeholders of each text', (language) => {
  const differs = (text: string, english: string): boolean =>
    placeholdersOf(text).join() !== placeholdersOf(english).join();
  // The form for one need not name the number.
  const withNumber = (text: string): string => (text.includes('{n}') ? text : `${text} {n}`);
  const faulty = Object.entries(read(language)).filter(([english, given]) =>
    typeof given === 'string'
      ? differs(given, english)
      : Object.values(given).some((text) => differs(withNumber(text), withNumber(english))),
  );
  expect(faulty).toEqual([]);
});

test.each(catalogues)('%s has all forms of a text with a number, and no forms of others', (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const faulty = Object.entries(read(language)).filter(
    ([english, given]) =>
      typeof given !== 'string' &&
      (!plurals.has(english) || Object.keys(given).sort().join() !== [...pluralCategories].sort().join()),
  );
  expect(faulty).toEqual([]);
});
