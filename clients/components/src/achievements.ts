import type { UserAchievementWithStatsResponse } from 'laurel-client';
import { html, nothing } from 'lit-html';
import { bar } from './bar.ts';
import { LaurelElement, read } from './element.ts';
import { countOf, css, type Defaults, define } from './reactive.ts';
import { baseStyles } from './styles.ts';
import type { BuiltIn } from './words.ts';

type Achievement = UserAchievementWithStatsResponse;
interface AchievementsData {
  achievements: Achievement[];
}

const TEXTS = {
  en: {
    heading: 'Achievements',
    empty: 'No achievements yet.',
    summary: '{done} of {all}',
    progress: 'Progress',
    of: '{current} of {target}',
    completed: 'Completed on {date}',
    open: 'Not completed yet',
    rarity: '{share} of users have it',
  },
  de: {
    heading: 'Erfolge',
    empty: 'Noch keine Erfolge.',
    summary: '{done} von {all}',
    progress: 'Fortschritt',
    of: '{current} von {target}',
    completed: 'Erreicht am {date}',
    open: 'Noch nicht erreicht',
    rarity: '{share} der Nutzer haben ihn',
  },
};
const PLACEHOLDERS = 6;
const PLACEHOLDERS_MAX = 200;

/** Achievements of the user, with progress. */
export class LaurelAchievements extends LaurelElement<AchievementsData> {
  static override readonly defaults: Defaults = {
    ...super.defaults,
    show: 'all',
    placeholders: PLACEHOLDERS,
  };
  static override readonly styles = [
    baseStyles,
    css`
      ul {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr));
        gap: 0.75rem;
      }
      li {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 0.125rem 0.75rem;
        min-block-size: 9rem;
        align-content: start;
        padding: 0.75rem;
        border: 1px solid var(--_border);
        border-radius: calc(var(--_radius) * 0.75);
      }
      li > * {
        grid-column: 2;
        min-inline-size: 0;
      }
      img,
      svg {
        grid-area: 1 / 1 / span 5 / 1;
        inline-size: 2.5rem;
        block-size: 2.5rem;
        object-fit: contain;
        color: var(--_muted);
      }
      .completed {
        border-color: var(--_accent);
        background: var(--_highlight);
      }
      .completed svg {
        color: var(--_accent);
      }
      .open :is(img, svg) {
        filter: grayscale(1);
      }
      .name {
        font-weight: 650;
      }
      .bar {
        margin-block: 0.375rem 0.125rem;
      }
    `,
  ];

  /** `all`, `completed` or `open`. */
  declare show: string;
  /** Achievements for which room is reserved. */
  declare placeholders: number;
  protected readonly builtIn: BuiltIn = TEXTS;

  protected reads() {
    return { achievements: read('listUserAchievements', { query: { includeIncomplete: true } }) };
  }

  protected placeholder(): AchievementsData {
    const one = { id: '', name: 'Achievement', trigger: 'api', description: ' ', badgeUrl: null } as const;
    const item = { ...one, userAttributes: [], completions: 0, rarity: 0, achievedAt: null };
    return {
      achievements: Array.from({ length: countOf(this.placeholders, 0, PLACEHOLDERS_MAX) }, () => item),
    };
  }

  protected isEmpty(data: AchievementsData): boolean {
    return this.#shown(data).length === 0;
  }

  protected headingOf(): string {
    return this.words.text('heading');
  }

  protected override summaryOf({ achievements }: AchievementsData): string {
    const done = achievements.filter(({ achievedAt }) => achievedAt !== null).length;
    return this.words.text('summary', { done, all: achievements.length });
  }

  #shown({ achievements }: AchievementsData): Achievement[] {
    if (this.show === 'completed') return achievements.filter(({ achievedAt }) => achievedAt !== null);
    if (this.show === 'open') return achievements.filter(({ achievedAt }) => achievedAt === null);
    return achievements;
  }

  /** @internal */
  protected view(data: AchievementsData) {
    return html`<ul part="list">${this.#shown(data).map((achievement) => this.#item(achievement))}</ul>`;
  }

  #item({ name, description, badgeUrl, achievedAt, timesCompleted = 1, progress, rarity }: Achievement) {
    const { words } = this;
    const state = achievedAt === null ? 'open' : 'completed';
    return html`<li part="achievement ${state}" class=${state}>
      ${badgeUrl ? html`<img part="badge" src=${badgeUrl} alt="" loading="lazy" />` : TROPHY}
      <p class="name" part="name"><bdi class="bone">${name}</bdi></p>
      ${description ? html`<p class="muted" part="description"><bdi class="bone">${description}</bdi></p>` : nothing}
      ${progress && achievedAt === null ? this.#progress(progress) : nothing}
      <p class="muted" part="date"><span class="bone">${
        achievedAt === null
          ? progress
            ? words.text('of', progress)
            : words.text('open')
          : words.text('completed', { date: words.day(achievedAt) }) +
            (timesCompleted > 1 ? ` ×${timesCompleted}` : '')
      }</span></p>
      ${
        achievedAt === null
          ? nothing
          : html`<p class="muted" part="rarity">${words.text('rarity', { share: words.percent(rarity) })}</p>`
      }
    </li>`;
  }

  #progress({ current, target }: NonNullable<Achievement['progress']>) {
    const text = this.words.text('of', { current, target });
    return bar(this.words.text('progress'), 0, current, target, text);
  }
}

const TROPHY = html`<svg part="badge" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
  <path d="M6 3h12v2h3v3a4 4 0 0 1-4 4h-.300A5.5 5.5 0 0 1 13 14.9V18h3a1 1 0 0 1 1 1v2H7v-2a1 1 0 0 1 1-1h3v-3.1A5.5 5.5 0 0 1 7.3 12H7a4 4 0 0 1-4-4V5h3zm0 4H5v1a2 2 0 0 0 1.2 1.8A5.7 5.7 0 0 1 6 9zm12 0v2c0 .3 0 .6-.2.8A2 2 0 0 0 19 8V7z" />
</svg>`;

define('laurel-achievements', LaurelAchievements);

declare global {
  interface HTMLElementTagNameMap {
    'laurel-achievements': LaurelAchievements;
  }
}
