import { useState } from 'preact/hooks';
import { RANGES, type Range, useRange } from '../api/useRange.ts';
import { addDays } from '../format.ts';

const OTHER = 'other';

/** Chooses a usual range, or any dates. */
export function RangePicker({ range, choose }: { range: Range; choose(range: { days: number }): void }) {
  const [isOpen, setOpen] = useState(false);
  const { before, chooseDates } = useRange();
  const isUsual = RANGES.some(({ label }) => label === range.label);
  const [from, to] = before ? [addDays(before.to!, 1), addDays(before.to!, range.days)] : ['', ''];
  const pick = (value: string): void => {
    setOpen(value === OTHER);
    if (value !== OTHER) choose({ days: Number(value) });
  };
  const pickDates = (first: string, last: string): void => {
    if (first !== '' && last !== '' && first <= last) chooseDates(first, last);
  };
  return (
    <div class="row">
      <select
        aria-label="Range"
        value={isOpen || !isUsual ? OTHER : String(range.days)}
        onChange={(event) => pick(event.currentTarget.value)}
      >
        {RANGES.map(({ days, label }) => (
          <option key={days} value={String(days)}>
            {label}
          </option>
        ))}
        <option value={OTHER}>Other dates</option>
      </select>
      {(isOpen || !isUsual) && (
        <>
          <input
            type="date"
            aria-label="First day"
            value={from}
            max={to}
            onChange={(event) => pickDates(event.currentTarget.value, to)}
          />
          <input
            type="date"
            aria-label="Last day"
            value={to}
            min={from}
            onChange={(event) => pickDates(from, event.currentTarget.value)}
          />
        </>
      )}
    </div>
  );
}
