import type { StreakResponse } from 'laurel-client';
import { isExtended } from 'laurel-client/store';
import { html, nothing } from 'lit-html';
import { LaurelElement, read } from './element.ts';
import { countOf, css, type Defaults, define } from './reactive.ts';
import { baseStyles } from './styles.ts';
import type { BuiltIn } from './words.ts';

type Period = StreakResponse['streakHistory'][number];
type Frequency = StreakResponse['frequency'];
type Mark = 'kept' | 'frozen' | 'paused' | 'missed' | 'open';

const TEXTS = {
  en: {
    heading: 'Streak',
    empty: 'No streak yet. Start one today.',
    daily: { one: 'day in a row', other: 'days in a row' },
    weekly: { one: 'week in a row', other: 'weeks in a row' },
    monthly: { one: 'month in a row', other: 'months in a row' },
    doneDaily: 'Done for today',
    doneWeekly: 'Done for this week',
    doneMonthly: 'Done for this month',
    openDaily: 'Keep it going today',
    openWeekly: 'Keep it going this week',
    openMonthly: 'Keep it going this month',
    freezes: { one: '{n} freeze', other: '{n} freezes' },
    history: 'Latest periods',
    kept: 'done',
    frozen: 'saved by a freeze',
    paused: 'paused',
    missed: 'missed',
    open: 'still open',
  },
  de: {
    heading: 'Serie',
    empty: 'Noch keine Serie. Fang heute eine an.',
    daily: { one: 'Tag in Folge', other: 'Tage in Folge' },
    weekly: { one: 'Woche in Folge', other: 'Wochen in Folge' },
    monthly: { one: 'Monat in Folge', other: 'Monate in Folge' },
    doneDaily: 'Für heute geschafft',
    doneWeekly: 'Für diese Woche geschafft',
    doneMonthly: 'Für diesen Monat geschafft',
    openDaily: 'Halte sie heute am Leben',
    openWeekly: 'Halte sie diese Woche am Leben',
    openMonthly: 'Halte sie diesen Monat am Leben',
    freezes: '{n} × Schutz',
    history: 'Letzte Zeiträume',
    kept: 'geschafft',
    frozen: 'durch Schutz gerettet',
    paused: 'pausiert',
    missed: 'verpasst',
    open: 'noch offen',
  },
};
/** How a period is shortly called. */
const SHORT: Record<Frequency, Intl.DateTimeFormatOptions> = {
  daily: { weekday: 'short' },
  weekly: { day: 'numeric', month: 'numeric' },
  monthly: { month: 'short' },
};
const LONG: Record<Frequency, Intl.DateTimeFormatOptions> = {
  daily: { weekday: 'long', day: 'numeric', month: 'long' },
  weekly: { day: 'numeric', month: 'long' },
  monthly: { month: 'long', year: 'numeric' },
};
const PERIODS = 7;
const PERIODS_MAX = 31;

/** The streak of the user and its latest days, weeks or months. */
export class LaurelStreak extends LaurelElement<{ streak: StreakResponse }> {
  static override readonly defaults: Defaults = { ...super.defaults, periods: PERIODS };
  static override readonly styles = [
    baseStyles,
    css`
      .line {
        display: flex;
        align-items: center;
        gap: 0.75rem;
      }
      svg {
        inline-size: 3rem;
        block-size: 3rem;
        flex: none;
        color: var(--_track);
      }
      .extended svg {
        color: var(--_flame);
      }
      .length {
        font-size: 2.5em;
        font-weight: 750;
        line-height: 1;
      }
      .state {
        margin-block-start: 0.5rem;
      }
      ol {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(2.25rem, 1fr));
        gap: 0.5rem 0.25rem;
        margin-block-start: 1rem;
      }
      li {
        display: grid;
        justify-items: center;
        gap: 0.25rem;
        color: var(--_muted);
        font-size: 0.75em;
      }
      .mark {
        display: grid;
        place-items: center;
        inline-size: 1.75rem;
        block-size: 1.75rem;
        border: 2px solid var(--_border);
        border-radius: 50%;
        font-size: 0.875rem;
        line-height: 1;
      }
      .open .mark {
        border-style: dashed;
        border-color: var(--_muted);
      }
      .kept .mark {
        border-color: var(--_accent);
        background: var(--_accent);
        color: var(--_on-accent);
      }
      .frozen .mark {
        border-color: var(--_freeze);
        color: var(--_freeze);
      }
      .paused .mark {
        border-color: var(--_muted);
        color: var(--_muted);
      }
      .shown .mark {
        border-color: transparent;
        background: var(--_track);
      }
    `,
  ];

  /** Latest days, weeks or months to show, 0 to 31. */
  declare periods: number;
  protected readonly builtIn: BuiltIn = TEXTS;

  get #periods(): number {
    return countOf(this.periods, 0, PERIODS_MAX);
  }

  protected reads() {
    return { streak: read('getUserStreak', { query: { historyPeriods: this.#periods } }) };
  }

  protected placeholder(): { streak: StreakResponse } {
    const day = { periodStart: '2026-01-01', periodEnd: '2026-01-01', length: 0, usedPause: false };
    const none = {
      started: null,
      periodStart: null,
      periodEnd: null,
      expires: null,
      extended: null,
      pauses: [],
    };
    const streakHistory = Array.from({ length: this.#periods }, () => day);
    return { streak: { ...none, length: 10, frequency: 'daily', streakHistory } };
  }

  protected isEmpty({ streak }: { streak: StreakResponse }): boolean {
    return streak.length === 0 && streak.streakHistory.every(({ length }) => length === 0);
  }

  protected headingOf(): string {
    return this.words.text('heading');
  }

  protected override summaryOf({ streak: { freezes } }: { streak: StreakResponse }): string {
    return freezes ? this.words.text('freezes', { n: freezes }) : '';
  }

  /** @internal */
  protected view({ streak }: { streak: StreakResponse }) {
    const { words } = this;
    const { length, frequency, streakHistory } = streak;
    const isDone = isExtended(streak);
    const name = frequency[0]!.toUpperCase() + frequency.slice(1);
    return html`
      <div class=${isDone ? 'line extended' : 'line'} part="line">
        ${FLAME}
        <div>
          <span class="length number bone" part="length">${words.number(length)}</span>
          <span part="unit" class="bone">${words.text(frequency, { n: length })}</span>
        </div>
      </div>
      <p class="state muted" part="state"><span class="bone">${words.text(`${isDone ? 'done' : 'open'}${name}`)}</span></p>
      ${
        streakHistory.length === 0
          ? nothing
          : html`<ol part="periods" aria-label=${words.text('history')}>
              ${streakHistory.map((period, at) => this.#period(period, frequency, at === streakHistory.length - 1, isDone))}
            </ol>`
      }
    `;
  }

  #period(period: Period, frequency: Frequency, isCurrent: boolean, isDone: boolean) {
    const { words } = this;
    const mark = isCurrent && !isDone ? 'open' : markOf(period);
    return html`<li part="period ${mark}" class=${mark}>
      <span class="hidden">${words.date(period.periodStart, LONG[frequency])}: ${words.text(mark)}</span>
      <span class="mark" aria-hidden="true">${SIGNS[mark]}</span>
      <span aria-hidden="true">${words.date(period.periodStart, SHORT[frequency])}</span>
    </li>`;
  }
}

function markOf({ length, usedFreeze, usedPause }: Period): Mark {
  if (usedFreeze) return 'frozen';
  if (usedPause) return 'paused';
  return length > 0 ? 'kept' : 'missed';
}

const SIGNS: Record<Mark, string> = { kept: '✓', frozen: '❄', paused: 'Ⅱ', missed: '', open: '' };

const FLAME = html`<svg part="flame" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
  <path d="M12.6 1.5c.7 3.7-1 5.5-2.7 7.3C8.2 10.6 6 12.5 6 16a6 6 0 0 0 12 .3c.1-3-1.2-4.9-2.4-6.8-.3 1.3-.9 2.2-1.9 2.8.6-3.8.6-7.7-1.1-10.8zM12 21.5a2.9 2.9 0 0 1-2.9-3c0-2 1.9-2.9 2.5-4.7 1.8 1.3 3.3 2.7 3.3 4.7a2.9 2.9 0 0 1-2.9 3z" />
</svg>`;

define('laurel-streak', LaurelStreak);

declare global {
  interface HTMLElementTagNameMap {
    'laurel-streak': LaurelStreak;
  }
}
