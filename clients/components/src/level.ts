import type { GetUserPointsResponse, PointsLevel } from 'laurel-client';
import { html, nothing } from 'lit-html';
import { bar } from './bar.ts';
import { LaurelElement, read } from './element.ts';
import { css, type Defaults, define } from './reactive.ts';
import { baseStyles } from './styles.ts';
import type { BuiltIn } from './words.ts';

interface LevelData {
  points: GetUserPointsResponse;
  levels: PointsLevel[];
}

const TEXTS = {
  en: {
    noLevel: 'No level yet',
    progress: 'Progress to {level}',
    next: '{n} {name} to {level}',
    highest: 'Highest level reached',
    of: '{value} of {to} {name}',
  },
  de: {
    noLevel: 'Noch kein Level',
    progress: 'Fortschritt bis {level}',
    next: 'Noch {n} {name} bis {level}',
    highest: 'Höchstes Level erreicht',
    of: '{value} von {to} {name}',
  },
};

/** Points of the user, the level they reach and the way to the next one. */
export class LaurelLevel extends LaurelElement<LevelData> {
  static override readonly defaults: Defaults = { ...super.defaults, points: '' };
  static override readonly keyAttribute = 'points';
  static override readonly styles = [
    baseStyles,
    css`
      .line {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 0.75rem;
        margin-block-end: 0.75rem;
      }
      img,
      svg {
        inline-size: 2.5rem;
        block-size: 2.5rem;
        flex: none;
        object-fit: contain;
        color: var(--_accent);
      }
      .name {
        flex: 1;
        font-size: 1.25em;
        font-weight: 650;
      }
      .total {
        font-size: 1.25em;
        font-weight: 650;
      }
      .below {
        margin-block-start: 0.5rem;
      }
    `,
  ];

  /** Key of the points system. */
  declare points: string;
  protected readonly builtIn: BuiltIn = TEXTS;

  protected reads() {
    const path = { key: this.points };
    return {
      points: read('getUserPoints', { path, query: { awards: 0 } }),
      levels: read('listPointsLevels', { path }),
    };
  }

  protected placeholder(): LevelData {
    const level = { id: '', key: '', name: 'Level', description: '', badgeUrl: null, points: 0 };
    const points = { id: '', key: '', name: 'XP', description: null, badgeUrl: null, maxPoints: null };
    return { points: { ...points, total: 0, level, awards: [] }, levels: [level, { ...level, points: 100 }] };
  }

  protected isEmpty(): boolean {
    return false;
  }

  protected headingOf(data: LevelData | null): string {
    return data?.points.name ?? '';
  }

  /** @internal */
  protected view({ points, levels }: LevelData) {
    const { words } = this;
    const { name, total, level, maxPoints } = points;
    const next = levels.find((other) => other.points > (level?.points ?? -Infinity));
    const to = next?.points ?? maxPoints;
    const from = next ? (level?.points ?? Math.min(0, total)) : 0;
    const hasLevels = levels.length > 0;
    const badge = level?.badgeUrl ?? points.badgeUrl;
    return html`
      <div class="line" part="line">
        ${badge ? html`<img part="badge" src=${badge} alt="" />` : STAR}
        <span class="name" part="level"><bdi class="bone">${level?.name ?? (hasLevels ? words.text('noLevel') : name)}</bdi></span>
        <span class="total number" part="total"><span class="bone">${words.number(total)} ${hasLevels ? name : ''}</span></span>
      </div>
      ${
        to === null
          ? nothing
          : bar(
              next ? words.text('progress', { level: next.name }) : name,
              from,
              total,
              to,
              words.text('of', { value: total, to, name }),
            )
      }
      <p class="below muted" part="next"><span class="bone">${this.#below(points, next, hasLevels)}</span></p>
    `;
  }

  #below(
    { name, total, maxPoints }: GetUserPointsResponse,
    next: PointsLevel | undefined,
    hasLevels: boolean,
  ) {
    const { words } = this;
    if (next) return words.text('next', { n: next.points - total, name, level: next.name });
    if (hasLevels) return words.text('highest');
    return maxPoints === null ? ' ' : words.text('of', { value: total, to: maxPoints, name });
  }
}

const STAR = html`<svg part="badge" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
  <path d="M12 2.2l2.9 6.1 6.7.9-4.9 4.6 1.2 6.6L12 17.2l-5.9 3.2 1.2-6.6L2.4 9.2l6.7-.9z" />
</svg>`;

define('laurel-level', LaurelLevel);

declare global {
  interface HTMLElementTagNameMap {
    'laurel-level': LaurelLevel;
  }
}
