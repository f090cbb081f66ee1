import type { WrappedResponse } from 'laurel-client';
import type { Store } from 'laurel-client/store';
import { html, nothing, type TemplateResult } from 'lit-html';
import { LaurelElement, read } from './element.ts';
import type { LaurelProvider } from './provider.ts';
import { css, type Defaults, define } from './reactive.ts';
import { baseStyles } from './styles.ts';
import type { BuiltIn } from './words.ts';

interface WrappedData {
  wrapped: WrappedResponse;
}
type Total = WrappedResponse['activity']['entireYear']['points'][string];

const TEXTS = {
  en: {
    heading: 'Your year {year}',
    empty: 'Nothing has happened in this year yet.',
    daysActive: { one: 'active day', other: 'active days' },
    mostActiveDay: 'most active day',
    mostActiveMonth: 'most active month',
    achievements: { one: 'achievement', other: 'achievements' },
    longestStreak: 'longest streak',
    daily: { one: '{n} day', other: '{n} days' },
    weekly: { one: '{n} week', other: '{n} weeks' },
    monthly: { one: '{n} month', other: '{n} months' },
    percentile: '{share} of all users did not do more',
  },
  de: {
    heading: 'Dein Jahr {year}',
    empty: 'In diesem Jahr ist noch nichts passiert.',
    daysActive: { one: 'aktiver Tag', other: 'aktive Tage' },
    mostActiveDay: 'aktivster Tag',
    mostActiveMonth: 'aktivster Monat',
    achievements: { one: 'Erfolg', other: 'Erfolge' },
    longestStreak: 'längste Serie',
    daily: { one: '{n} Tag', other: '{n} Tage' },
    weekly: { one: '{n} Woche', other: '{n} Wochen' },
    monthly: { one: '{n} Monat', other: '{n} Monate' },
    percentile: '{share} aller Nutzer haben nicht mehr getan',
  },
};
/** Metrics and points systems. */
const TOTALS_MAX = 3;
/** Least percentage that is worth a mention. */
const PERCENTILE_MIN = 50;

/** A year of the user in review. */
export class LaurelWrapped extends LaurelElement<WrappedData> {
  static override readonly defaults: Defaults = { ...super.defaults, year: 0 };
  static override readonly styles = [
    baseStyles,
    css`
      ul {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(max(8.5rem, 22%), 1fr));
        gap: 0.75rem;
      }
      li {
        display: grid;
        align-content: center;
        min-block-size: 7.5rem;
        padding: 1rem;
        border-radius: calc(var(--_radius) * 0.75);
        background: var(--_highlight);
      }
      .shown li {
        background: none;
        border: 1px solid var(--_border);
      }
      .value {
        font-size: 1.5em;
        font-weight: 750;
        line-height: 1.2;
        overflow-wrap: anywhere;
      }
      .share {
        color: var(--_muted);
        font-size: 0.8em;
      }
    `,
  ];

  /** Year of the user's own calendar; 0 for the current one. */
  declare year: number;
  protected readonly builtIn: BuiltIn = TEXTS;

  protected override storeOf({ reviewStore }: LaurelProvider): Store | null {
    return reviewStore;
  }

  protected reads() {
    return { wrapped: read('getUserWrapped', { query: this.year > 0 ? { year: this.year } : {} }) };
  }

  /** What the view needs; the rest of the answer is not looked at. */
  protected placeholder(): WrappedData {
    const total = { name: 'Total', currentTotal: 0, changeThisPeriod: 100, percentChange: 0 };
    const activity = {
      daysActive: 100,
      mostActiveDay: { date: '2026-01-01' },
      mostActiveMonth: { month: 0 },
      entireYear: {
        metrics: { one: total, two: total, three: total },
        points: {},
        achievements: [],
        longestStreak: { length: 100, frequency: 'daily' },
      },
    };
    return { wrapped: { activity } as unknown as WrappedResponse };
  }

  protected isEmpty({ wrapped }: WrappedData): boolean {
    return wrapped.activity.daysActive === 0;
  }

  protected headingOf(data: WrappedData | null): string {
    const year = data?.wrapped.activity.mostActiveDay.date.slice(0, 4) ?? (this.year || '');
    return year === '' ? '' : this.words.text('heading', { year: String(year) });
  }

  /** @internal */
  protected view({ wrapped }: WrappedData) {
    const { words } = this;
    const { daysActive, mostActiveDay, mostActiveMonth, entireYear } = wrapped.activity;
    const { longestStreak, achievements, metrics, points } = entireYear;
    const month = `${mostActiveDay.date.slice(0, 4)}-${String(mostActiveMonth.month + 1).padStart(2, '0')}-01`;
    const totals = [...Object.values(metrics), ...Object.values(points)]
      .filter(({ changeThisPeriod }) => changeThisPeriod > 0)
      .slice(0, TOTALS_MAX);
    return html`<ul part="list">
      ${this.#tile(words.number(daysActive), words.text('daysActive', { n: daysActive }))}
      ${this.#tile(
        words.text(longestStreak.frequency, { n: longestStreak.length }),
        words.text('longestStreak'),
      )}
      ${this.#tile(words.date(mostActiveDay.date, { day: 'numeric', month: 'short' }), words.text('mostActiveDay'))}
      ${this.#tile(words.date(month, { month: 'short' }), words.text('mostActiveMonth'))}
      ${this.#tile(words.number(achievements.length), words.text('achievements', { n: achievements.length }))}
      ${totals.map((total) => this.#total(total))}
    </ul>`;
  }

  #total({ name, changeThisPeriod, percentileThisPeriod: percentile }: Total): TemplateResult {
    const { words } = this;
    const share =
      percentile !== undefined && percentile >= PERCENTILE_MIN
        ? words.text('percentile', { share: words.percent(percentile) })
        : undefined;
    return this.#tile(words.number(changeThisPeriod), name, share);
  }

  #tile(value: string, label: string, share?: string): TemplateResult {
    return html`<li part="tile">
      <span class="value number" part="value"><span class="bone">${value}</span></span>
      <span part="label"><bdi class="bone">${label}</bdi></span>
      ${share === undefined ? nothing : html`<span class="share" part="share">${share}</span>`}
    </li>`;
  }
}

define('laurel-wrapped', LaurelWrapped);

declare global {
  interface HTMLElementTagNameMap {
    'laurel-wrapped': LaurelWrapped;
  }
}
