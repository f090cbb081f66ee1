import { type ComponentChildren, toChildArray } from 'preact';
import { translated } from '../text/translate.ts';

export interface Tile {
  label: string;
  value: ComponentChildren;
  note?: ComponentChildren;
}

/** Columns of rows of nearly equal length. */
const columnsOf = (count: number, max: number): number => Math.ceil(count / Math.ceil(count / max));

/** The most important values. */
export function Tiles({ tiles, children }: { tiles: Tile[]; children?: ComponentChildren }) {
  const count = Math.max(1, tiles.length + toChildArray(children).length);
  return (
    <dl class="tiles" style={{ '--wide': columnsOf(count, 6), '--medium': columnsOf(count, 4) }}>
      {tiles.map(({ label, value, note }) => (
        <div class="tile" key={label}>
          <dt>{label}</dt>
          <dd>
            {value}
            {note && <div class="note">{note}</div>}
          </dd>
        </div>
      ))}
      {children}
    </dl>
  );
}

export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
    </dl>
  );
}

const TONES: Record<string, string> = {
  active: 'good',
  sent: 'good',
  finished: '',
  failed: 'bad',
  disabled: 'bad',
  blocked: 'bad',
  revoked: 'bad',
  pending: 'warn',
  waiting: 'warn',
  running: 'warn',
  scheduled: 'warn',
  receiving: 'warn',
  paused: 'warn',
};

/** A status, as the API names it. */
export const StatusTag = ({ status }: { status: string }) => (
  <span class={`tag ${TONES[status] ?? ''}`}>{translated(status)}</span>
);

export const Tag = ({ text }: { text: string }) => <span class="tag">{text}</span>;
