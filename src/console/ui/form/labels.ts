import { weekdayName, words } from '../../text/format.ts';
import { nameInContract, t, translated } from '../../text/translate.ts';
import { CHOICES, HINTS, LABELS, NOTHING, UNSET, WITHOUT_HINT } from './fieldTexts.ts';

/** Labels and hints of fields, in the language of the console. */

/** @param path names of the fields from the form to this one */
export function labelOf(path: string[]): string {
  const name = path.at(-1)!;
  // The streak refers to metrics by their key.
  if (path.at(-2) === 'metrics' && name === 'key') return t('Metric');
  return translated(LABELS[name] ?? words(name));
}

/** The hint below a field; empty if the label is enough. */
export function hintOf(path: string[], description = ''): string {
  const name = path.at(-1)!;
  if (WITHOUT_HINT.includes(name) || (path.at(-2) === 'metrics' && name === 'key')) return '';
  return translated(HINTS[name] ?? description).replaceAll('`', '');
}

/** Label of a choice; undefined for values without one. */
export function namedChoice(path: string[], choice: string): string | undefined {
  const label = CHOICES[path.at(-1)!]?.[choice];
  return label && translated(label);
}

/** Label of no choice: the default, if the contract names one. */
export function unsetChoice(path: string[], description = ''): string {
  const [, byDefault] = /Default: `(\w+)`/.exec(description) ?? [];
  if (byDefault !== undefined) return t('Default: {choice}', { choice: choiceName(path, byDefault) });
  return translated(UNSET[path.at(-1)!] ?? NOTHING);
}

/** @param path names of the fields from the form to this one */
export const choiceName = (path: string[], choice: string): string =>
  namedChoice(path, choice) ?? (path.at(-1) === 'events' ? choice : nameInContract(choice));

/** Days off as the API numbers them: 0 is Sunday. Weeks start on Monday. */
export const WEEKDAYS = Array.from({ length: 7 }, (_, day) => ({
  value: String((day + 1) % 7),
  label: weekdayName(day),
}));
