import { type ComponentChildren, Fragment } from 'preact';
import { formatNumber } from '../text/format.ts';

export interface Bar {
  label: string;
  value: number;
  /** Instead of the number. */
  shown?: ComponentChildren;
}

/** Characters of a label and a number that leave room for a bar in half of a screen. */
const SHORT_CHARS = 28;

const isShort = ({ label, shown }: Bar): boolean =>
  label.length + (typeof shown === 'string' ? shown.length : 0) <= SHORT_CHARS;

/** Bars beside their labels and numbers; below them if these are long and there is little room. */
export function Bars({ bars, isNegative }: { bars: Bar[]; isNegative?: boolean }) {
  const most = Math.max(1, ...bars.map(({ value }) => Math.abs(value)));
  return (
    <div class="bars-box">
      <dl class={`bars ${isNegative ? 'negative' : ''} ${bars.every(isShort) ? '' : 'long'}`}>
        {bars.map(({ label, value, shown = formatNumber(value) }, i) => (
          <Fragment key={`${i} ${label}`}>
            <dt class="bar-label">{label}</dt>
            <dd>
              <svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
                <rect class="track" width="100" height="14" rx="2" />
                <rect width={(Math.abs(value) / most) * 100} height="14" rx="1" />
              </svg>
            </dd>
            <dd class="bar-value">{shown}</dd>
          </Fragment>
        ))}
      </dl>
    </div>
  );
}
