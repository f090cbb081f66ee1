import { html } from 'lit-html';
import { columns, rankingRow } from './ranking.ts';
import { type RankingData, RankingElement } from './rankingElement.ts';
import { countOf, type Defaults, define } from './reactive.ts';

const ROWS = 10;
const ROWS_MAX = 100;

/** The first users of a leaderboard, live, and the place of the user. */
export class LaurelLeaderboard extends RankingElement {
  static override readonly defaults: Defaults = { ...super.defaults, limit: ROWS, userAttributes: null };

  /** Number of users, 1 to 100. */
  declare limit: number;
  /** Of a leaderboard with groups: the group to show, such as `city:berlin`. */
  declare userAttributes: string | null;

  protected get room(): number {
    return countOf(this.limit, 1, ROWS_MAX);
  }

  protected query() {
    const { userAttributes } = this;
    return { limit: this.room, ...(userAttributes !== null && { userAttributes }) };
  }

  /** @internal */
  protected view(data: RankingData) {
    const { board, user } = data;
    return html`
      <table part="table" aria-labelledby=${this.labelId}>
        ${columns(this.words)}
        <tbody>${board.rankings.map((row) => rankingRow(row, user.id, this.words))}</tbody>
      </table>
      <p class="own muted" part="own-rank" role="status"><span class="bone">${this.ownText(data)}</span></p>
    `;
  }
}

define('laurel-leaderboard', LaurelLeaderboard);

declare global {
  interface HTMLElementTagNameMap {
    'laurel-leaderboard': LaurelLeaderboard;
  }
}
