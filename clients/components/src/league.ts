import type { LeaderboardRanking } from 'laurel-client';
import { html, nothing, type TemplateResult } from 'lit-html';
import { columns, RANKING_TEXTS, rankingRow } from './ranking.ts';
import { type RankingData, RankingElement } from './rankingElement.ts';
import { countOf, css, type Defaults, define } from './reactive.ts';
import type { BuiltIn } from './words.ts';

const TEXTS = {
  en: {
    empty: 'Score once to join a group.',
    tiers: 'Tiers',
    promotes: 'These go up',
    stays: 'These stay',
    demotes: 'These go down',
    promoted: 'Last time: rank {rank}, you went up',
    stayed: 'Last time: rank {rank}',
    demoted: 'Last time: rank {rank}, you went down',
  },
  de: {
    empty: 'Sammle einen Punkt, dann bist du in einer Gruppe.',
    tiers: 'Ligen',
    promotes: 'Diese steigen auf',
    stays: 'Diese bleiben',
    demotes: 'Diese steigen ab',
    promoted: 'Letztes Mal: Platz {rank}, aufgestiegen',
    stayed: 'Letztes Mal: Platz {rank}',
    demoted: 'Letztes Mal: Platz {rank}, abgestiegen',
  },
};
/** Greatest size of a group. */
const ROWS_MAX = 100;
const PLACEHOLDERS = 10;

/** The user's group of a league, live: who goes up, who stays and who goes down as of now. */
export class LaurelLeague extends RankingElement {
  static override readonly defaults: Defaults = { ...super.defaults, placeholders: PLACEHOLDERS };
  static override readonly styles = [
    ...RankingElement.styles,
    css`
      .tiers {
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem;
        margin-block-end: 0.75rem;
      }
      .tiers li {
        padding: 0.125rem 0.75rem;
        border: 1px solid var(--_border);
        border-radius: 2rem;
        color: var(--_muted);
        font-size: 0.875em;
      }
      .tiers [aria-current] {
        border-color: var(--_accent);
        background: var(--_accent);
        color: var(--_on-accent);
      }
      .zone th {
        block-size: 1.75rem;
        color: var(--_muted);
        font-size: 0.8em;
      }
    `,
  ];

  /** Members for whom room is reserved. */
  declare placeholders: number;
  protected override readonly builtIn: BuiltIn = {
    en: { ...RANKING_TEXTS.en, ...TEXTS.en },
    de: { ...RANKING_TEXTS.de, ...TEXTS.de },
  };

  protected get room(): number {
    return countOf(this.placeholders, 1, ROWS_MAX);
  }

  /** A user token is shown the group of its user. */
  protected query() {
    return { limit: ROWS_MAX };
  }

  /** @internal */
  protected view(data: RankingData) {
    const { words } = this;
    const { board, own } = data;
    const { promotes, demotes, previousRun } = own;
    const [first, last] = [promotes ?? 0, demotes ?? Infinity];
    const { rankings } = board;
    const previous = previousRun && words.text(previousRun.outcome, { rank: previousRun.rank });
    return html`
      ${this.#tiers(data)}
      <table part="table" aria-labelledby=${this.labelId}>
        ${columns(words)}
        ${this.#zone(
          'promotes',
          rankings.filter(({ rank }) => rank <= first),
          data,
        )}
        ${this.#zone(
          'stays',
          rankings.filter(({ rank }) => rank > first && rank < last),
          data,
        )}
        ${this.#zone(
          'demotes',
          rankings.filter(({ rank }) => rank >= last),
          data,
        )}
      </table>
      <p class="own muted" part="own-rank" role="status"><span class="bone">${this.ownText(data)}</span></p>
      ${previous ? html`<p class="muted" part="previous">${previous}</p>` : nothing}
    `;
  }

  #tiers({ board, own }: RankingData): TemplateResult {
    const tiers = board.league?.tiers ?? [{ key: '', name: 'Tier' }];
    return html`<ol class="tiers" part="tiers" aria-label=${this.words.text('tiers')}>${tiers.map(
      ({ key, name }) => {
        const isOwn = key === own.tier?.key;
        return html`<li part=${isOwn ? 'tier own-tier' : 'tier'} aria-current=${isOwn ? 'true' : nothing}><bdi class="bone">${name}</bdi></li>`;
      },
    )}</ol>`;
  }

  #zone(name: 'promotes' | 'stays' | 'demotes', rows: LeaderboardRanking[], { user }: RankingData) {
    if (rows.length === 0) return nothing;
    const sign = { promotes: '▲', stays: '', demotes: '▼' }[name];
    return html`<tbody part=${name}>
      <tr class="zone"><th colspan="3" scope="rowgroup" part="zone"><span aria-hidden="true">${sign}</span> ${this.words.text(name)}</th></tr>
      ${rows.map((row) => rankingRow(row, user.id, this.words))}
    </tbody>`;
  }
}

define('laurel-league', LaurelLeague);

declare global {
  interface HTMLElementTagNameMap {
    'laurel-league': LaurelLeague;
  }
}
