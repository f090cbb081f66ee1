import { css } from './reactive.ts';

/** Colours follow the `color-scheme` of the page. Custom properties that begin with `--_` are internal. */
export const baseStyles = css`
  :host {
    --_accent: var(--laurel-accent, light-dark(#2f6f43, #7ccb93));
    --_on-accent: var(--laurel-on-accent, light-dark(#fff, #0c1a10));
    --_surface: var(--laurel-surface, light-dark(#fff, #1a1e17));
    --_text: var(--laurel-text, light-dark(#1d211a, #e9ece4));
    --_muted: var(--laurel-muted, light-dark(#565d4f, #a9b09f));
    --_border: var(--laurel-border, light-dark(#dcdfd5, #30362a));
    --_track: var(--laurel-track, light-dark(#e3e6dd, #2b3126));
    --_highlight: var(--laurel-highlight, light-dark(#e1eee3, #1f3526));
    --_flame: var(--laurel-flame, light-dark(#d9480f, #ff922b));
    --_freeze: var(--laurel-freeze, light-dark(#2d6a9f, #8bc0ee));
    --_radius: var(--laurel-radius, 12px);
    --_padding: var(--laurel-padding, 1.25rem);
    display: block;
    color: var(--_text);
    font: var(--laurel-font, inherit);
    line-height: 1.5;
  }
  :host([hidden]) {
    display: none;
  }
  *,
  *::before {
    box-sizing: border-box;
    margin: 0;
  }
  section {
    position: relative;
    padding: var(--_padding);
    border: 1px solid var(--_border);
    border-radius: var(--_radius);
    background: var(--_surface);
  }
  header {
    display: flex;
    align-items: baseline;
    justify-content: space-between;
    gap: 1rem;
    margin-block-end: 0.75rem;
  }
  [part='heading'] {
    min-inline-size: 0;
    font-size: 1.05em;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  [part='summary'],
  .muted {
    color: var(--_muted);
    font-size: 0.875em;
  }
  [part='summary'] {
    text-align: end;
  }
  .stack {
    display: grid;
  }
  .stack > * {
    grid-area: 1 / 1;
    min-inline-size: 0;
  }
  .room:not(.shown) {
    visibility: hidden;
  }
  .room.shown {
    --_text: transparent;
    --_muted: transparent;
    color: transparent;
  }
  .shown :is(.bone, svg, img) {
    border-radius: 6px;
    background: var(--_track);
    color: transparent;
  }
  .message {
    display: grid;
    align-content: center;
    justify-items: center;
    gap: 0.75rem;
    text-align: center;
    color: var(--_muted);
  }
  [part='retry'] {
    padding: 0.4em 1em;
    border: 1px solid var(--_muted);
    border-radius: calc(var(--_radius) / 2);
    background: none;
    color: var(--_text);
    font: inherit;
    cursor: pointer;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .number {
    font-variant-numeric: tabular-nums;
  }
  ol,
  ul {
    padding: 0;
    list-style: none;
  }
  .bar {
    block-size: 0.625rem;
    border-radius: 1rem;
    background: var(--_track);
    overflow: hidden;
  }
  .bar > span {
    display: block;
    block-size: 100%;
    border-radius: inherit;
    background: var(--_accent);
  }
  .shown .bar > span {
    visibility: hidden;
  }
  @media (prefers-reduced-motion: no-preference) {
    .bar > span {
      transition: inline-size 0.4s ease-out;
    }
    .shown {
      animation: breathe 1.6s ease-in-out infinite alternate;
    }
    @keyframes breathe {
      to {
        opacity: 0.5;
      }
    }
  }
  @media (forced-colors: active) {
    .bar {
      border: 1px solid;
    }
    .bar > span {
      background: Highlight;
      forced-color-adjust: none;
    }
  }
`;
