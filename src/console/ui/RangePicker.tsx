import { RANGES, type Range } from '../api/useRange.ts';

export function RangePicker({ range, choose }: { range: Range; choose(range: Range): void }) {
  return (
    <select
      aria-label="Range"
      value={String(range.days)}
      onChange={(event) => choose(RANGES.find(({ days }) => String(days) === event.currentTarget.value)!)}
    >
      {RANGES.map(({ days, label }) => (
        <option key={days} value={String(days)}>
          {label}
        </option>
      ))}
    </select>
  );
}
