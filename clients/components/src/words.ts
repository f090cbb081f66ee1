/** A text, or one for each plural category of `n` (`Intl.PluralRules`). `{name}` is replaced by a value. */
export type Text = string | { other: string; [category: string]: string };
/** Texts of an element by name. */
export type Texts = Record<string, Text>;
/** Texts by language and element; `common` are those of all elements. */
export type TextsByLanguage = Record<string, Record<string, Texts>>;
/** What an element brings along. A language has all texts. */
export type BuiltIn<Name extends string = string> = Record<'en' | 'de', Record<Name, Text>>;

const COMMON: BuiltIn = {
  en: {
    loading: 'Loading…',
    failed: 'This cannot be shown at the moment.',
    signedOut: 'Sign in again to see this.',
    retry: 'Try again',
  },
  de: {
    loading: 'Wird geladen …',
    failed: 'Das kann im Moment nicht angezeigt werden.',
    signedOut: 'Melde dich neu an, um das zu sehen.',
    retry: 'Noch einmal versuchen',
  },
};
/** A date without a time has no time zone. */
const DATE_ZONE = 'UTC';

/** The language of an element: that of the nearest `lang`, also outside of shadow trees. */
export function languageOf(element: Element): string {
  for (let node: Node | null = element; node !== null; ) {
    if (node instanceof Element && node.hasAttribute('lang')) return node.getAttribute('lang')!;
    node = node.parentNode ?? (node instanceof ShadowRoot ? node.host : null);
  }
  return navigator.language;
}

/** Texts, numbers and dates of one element in one language. */
export class Words {
  /** The language of the texts: without texts for the language of the page it is English. */
  readonly language: string;
  readonly #tables: Texts[];

  /** @param given texts of the page, which come first */
  constructor(element: string, builtIn: BuiltIn, wanted: string, given: TextsByLanguage) {
    const base = wanted.split('-')[0]!.toLowerCase();
    const isKnown = (name: string): boolean => name in given || name in builtIn;
    this.language = isKnown(wanted) || isKnown(base) ? wanted : 'en';
    const names = this.language === 'en' ? ['en'] : [wanted, base, 'en'];
    this.#tables = names.flatMap((name) => [
      given[name]?.[element] ?? {},
      given[name]?.common ?? {},
      builtIn[name as 'en'] ?? {},
      COMMON[name as 'en'] ?? {},
    ]);
  }

  /** @param values of the braces; `n` chooses the plural */
  text(name: string, values: { n?: number; [name: string]: string | number | undefined } = {}): string {
    const found = this.#tables.find((table) => name in table)![name]!;
    const form =
      typeof found === 'string'
        ? found
        : (found[new Intl.PluralRules(this.language).select(values.n ?? 0)] ?? found.other);
    return form.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
      const value = values[key];
      return typeof value === 'number' ? this.number(value) : (value ?? '');
    });
  }

  number(value: number, options: Intl.NumberFormatOptions = { maximumFractionDigits: 2 }): string {
    return new Intl.NumberFormat(this.language, options).format(value);
  }

  /** @param value 0 to 100 */
  percent(value: number): string {
    return this.number(value / 100, { style: 'percent', maximumFractionDigits: value < 10 ? 1 : 0 });
  }

  /** @param date such as 2026-11-27 */
  date(date: string, options: Intl.DateTimeFormatOptions): string {
    return new Intl.DateTimeFormat(this.language, { ...options, timeZone: DATE_ZONE }).format(
      Date.parse(date),
    );
  }

  /** The day of an instant, where the reader is. */
  day(instant: string): string {
    return new Intl.DateTimeFormat(this.language, { dateStyle: 'medium' }).format(Date.parse(instant));
  }
}
