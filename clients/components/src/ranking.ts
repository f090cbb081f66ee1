import type { LeaderboardRanking } from 'laurel-client';
import { html, nothing, type TemplateResult } from 'lit-html';
import { css } from './reactive.ts';
import type { BuiltIn, Words } from './words.ts';

export const RANKING_TEXTS: BuiltIn = {
  en: {
    empty: 'Nobody is ranked yet.',
    rank: 'Rank',
    name: 'Name',
    score: 'Score',
    you: '(you)',
    ends: 'until {date}',
    own: 'Your rank: {rank}, with {value}',
    unranked: 'You have no rank yet.',
  },
  de: {
    empty: 'Noch ist niemand platziert.',
    rank: 'Platz',
    name: 'Name',
    score: 'Wert',
    you: '(du)',
    ends: 'bis {date}',
    own: 'Dein Platz: {rank}, mit {value}',
    unranked: 'Du hast noch keinen Platz.',
  },
};

/** What tables of users look like. */
export const rankingStyles = css`
  table {
    inline-size: 100%;
    border-collapse: collapse;
  }
  td,
  th {
    block-size: 2.75rem;
    padding: 0 0.5rem;
    border-block-end: 1px solid var(--_border);
    font-weight: inherit;
    text-align: start;
  }
  thead th {
    block-size: 0;
    padding: 0;
    border: 0;
  }
  tbody:last-of-type tr:last-child > * {
    border-block-end: 0;
  }
  td:first-child {
    inline-size: 3rem;
    color: var(--_muted);
  }
  [part~='name'] {
    max-inline-size: 0;
    inline-size: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  [part~='value'] {
    text-align: end;
    white-space: nowrap;
    font-weight: 650;
  }
  [aria-current] {
    background: var(--_highlight);
    font-weight: 650;
  }
  [aria-current] > :first-child {
    border-start-start-radius: 6px;
    border-end-start-radius: 6px;
  }
  [aria-current] > :last-child {
    border-start-end-radius: 6px;
    border-end-end-radius: 6px;
  }
  .own {
    min-block-size: 1.5em;
    margin-block-start: 0.5rem;
  }
`;

export const PLACEHOLDER_ROW: LeaderboardRanking = { userId: '', userName: 'Somebody', rank: 1, value: 100 };

/** The names of the columns, for screen readers. */
export const columns = (words: Words): TemplateResult => html`<thead><tr>
  <th scope="col"><span class="hidden">${words.text('rank')}</span></th>
  <th scope="col"><span class="hidden">${words.text('name')}</span></th>
  <th scope="col"><span class="hidden">${words.text('score')}</span></th>
</tr></thead>`;

/** @param ownId id of the user who looks */
export function rankingRow(
  { userId, userName, rank, value }: LeaderboardRanking,
  ownId: string,
  words: Words,
): TemplateResult {
  const isOwn = userId === ownId && userId !== '';
  return html`<tr part=${isOwn ? 'row own' : 'row'} data-user=${userId} aria-current=${isOwn ? 'true' : nothing}>
    <td part="rank" class="number"><span class="bone">${words.number(rank)}</span></td>
    <td part="name"><bdi class="bone">${userName ?? userId}</bdi>${isOwn ? html` <span class="muted">${words.text('you')}</span>` : ''}</td>
    <td part="value" class="number"><span class="bone">${words.number(value)}</span></td>
  </tr>`;
}

/** Lets rows light up whose score has changed, unless the reader wants no motion. */
export function lightUp(root: ShadowRoot, now: LeaderboardRanking[], before: LeaderboardRanking[]): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const earlier = new Map(before.map(({ userId, value }) => [userId, value]));
  for (const row of root.querySelectorAll<HTMLElement>('.front tr[data-user]')) {
    const { user } = row.dataset;
    const value = now.find(({ userId }) => userId === user)?.value;
    if (value === earlier.get(user!)) continue;
    const background = getComputedStyle(row).getPropertyValue('--_highlight');
    row.animate([{ background }, {}], { duration: 1_200, easing: 'ease-out' });
  }
}
