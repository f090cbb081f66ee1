import { readStored, writeStored } from '../browser/storedSettings.ts';

/** The language of the console. Modules that show texts wait here until its catalogue is read. */

/** Languages of the console. All but English have a catalogue, `languages/<code>.json`. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Texts of a language by the English text; those with a number by the plural category of the number. */
type Catalogue = Record<string, string | Partial<Record<Intl.LDMLPluralRule, string>>>;

const CHOSEN = 'language';
const isOf = (language: string) => (locale: string) => locale.split('-')[0] === language;
const { navigator } = globalThis as { navigator?: { languages: readonly string[] } };
/** What the browser prefers, best first. Tests of texts run without a browser. */
const preferred = navigator?.languages ?? [];

/** The language that was chosen in this browser, else the first one that the browser prefers. */
export const language: Language =
  LANGUAGES.find((one) => one === readStored<string | null>(CHOSEN, null, null)) ??
  preferred.flatMap((locale) => LANGUAGES.find((one) => isOf(one)(locale)) ?? [])[0] ??
  'en';

/** The language with the region of the browser, for numbers and dates: `de-AT`. */
export const locale: string = preferred.find(isOf(language)) ?? language;

export const catalogue: Catalogue = language === 'en' ? {} : await readCatalogue();

/** Without its catalogue, the console is in English. */
async function readCatalogue(): Promise<Catalogue> {
  const address = new URL(`./languages/${language}.json`, import.meta.url);
  return fetch(address).then(
    (response) => (response.ok ? (response.json() as Promise<Catalogue>) : {}),
    () => ({}),
  );
}

/** Remembers the language in this browser. It takes effect when the page is loaded again. */
export const chooseLanguage = (chosen: Language): void => writeStored(CHOSEN, chosen, null);
