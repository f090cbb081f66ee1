import { formatNumber, NONE, words } from './format.ts';
import { catalogue, locale } from './language.ts';

/**
 * Texts of the console. The code has them in English, and the catalogue of another language has them by the
 * English text. Placeholders are names in braces.
 */

/** Values of placeholders. Numbers are formatted; null is shown as no value. */
type Values = Record<string, string | number | null | undefined>;

/** Matches a placeholder; the group is its name. */
export const PLACEHOLDER = /\{(\w+)\}/g;

/** Placeholders without a value stay, for `rich`. */
const filled = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (placeholder, name: string) => {
    if (!(name in values)) return placeholder;
    const value = values[name];
    return typeof value === 'number' ? formatNumber(value) : (value ?? NONE);
  });

/** A text in the language of the console. Its first argument is always a literal: a test reads it. */
export const t = (text: string, values: Values = {}): string => filled(translated(text), values);

/** A text from outside of the code, such as a description of the contract; English if it is unknown. */
export function translated(text: string): string {
  const found = catalogue[text];
  return typeof found === 'string' ? found : text;
}

/** Name of a field, a kind or a choice of the contract: `streakLength` → "Streak length". */
export const nameInContract = (name: string): string => translated(words(name));

const rules = new Intl.PluralRules(locale);

/** A text with a number, which is `{n}`. Catalogues have it by `many`. */
export function plural(n: number, one: string, many: string, values: Values = {}): string {
  const forms = catalogue[many] ?? { one, other: many };
  const form = typeof forms === 'string' ? forms : (forms[rules.select(n)] ?? forms.other ?? many);
  return filled(form, { n, ...values });
}

/** A name or a text inside of a sentence. */
export const quoted = (text: string): string => t('“{text}”', { text });

/** "1 June to 8 June" */
export const rangeText = (from: string | number, to: string | number): string =>
  t('{from} to {to}', { from, to });

/** "3 of 10" */
export const shareText = (part: number, all: number): string => t('{part} of {all}', { part, all });

const lists = {
  and: new Intl.ListFormat(locale, { type: 'conjunction' }),
  or: new Intl.ListFormat(locale, { type: 'disjunction' }),
};

/** "a, b and c" */
export const allOf = (texts: readonly string[]): string => lists.and.format(texts);
/** "a, b or c" */
export const anyOf = (texts: readonly string[]): string => lists.or.format(texts);
