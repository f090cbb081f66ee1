import { formatShare } from '../../format.ts';

/** An interval of a difference on a scale from −`most` to `most`, with a line at 0. */
export function IntervalBar({ low, high, most }: { low: number; high: number; most: number }) {
  const at = (value: number): number => 50 + (value / most) * 50;
  const text = `${formatShare(low)} to ${formatShare(high)}`;
  return (
    <div class="interval">
      <svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="14" rx="2" />
        <rect x={at(low)} y="3" width={Math.max(1, at(high) - at(low))} height="8" />
        <line x1="50" x2="50" y1="0" y2="14" />
      </svg>
      <span>{text}</span>
    </div>
  );
}
