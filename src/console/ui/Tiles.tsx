import type { ComponentChildren } from 'preact';

export interface Tile {
  label: string;
  value: ComponentChildren;
  note?: ComponentChildren;
}

/** The most important values. */
export function Tiles({ tiles, children }: { tiles: Tile[]; children?: ComponentChildren }) {
  return (
    <dl class="tiles" style={{ margin: 0 }}>
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
  revoked: 'bad',
  pending: 'warn',
  waiting: 'warn',
  running: 'warn',
  scheduled: 'warn',
  receiving: 'warn',
  paused: 'warn',
};

export function Tag({ text }: { text: string }) {
  return <span class={`tag ${TONES[text] ?? ''}`}>{text}</span>;
}
