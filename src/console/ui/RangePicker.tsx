import { useState } from 'preact/hooks';
import { RANGES, useRange } from '../api/useRange.ts';
import { addDays } from '../text/format.ts';
import { t } from '../text/translate.ts';
import { EnteredInput } from './EnteredInput.tsx';
import { Select } from './Select.tsx';

const CUSTOM = 'custom';
const CHOICES = [
  ...RANGES.map(({ days, label }) => ({ value: String(days), label })),
  { value: CUSTOM, label: t('Custom dates') },
];

/** Chooses a usual range, or any dates. */
export function RangePicker() {
  const [isOpen, setOpen] = useState(false);
  const { days, label, before, choose, chooseDates } = useRange();
  const isCustom = isOpen || !RANGES.some((usual) => usual.label === label);
  const [from, to] = before ? [addDays(before.to!, 1), addDays(before.to!, days)] : ['', ''];
  const pick = (value: string): void => {
    setOpen(value === CUSTOM);
    if (value !== CUSTOM) choose(Number(value));
  };
  const pickDates = (first: string, last: string): void => {
    if (first !== '' && last !== '' && first <= last) chooseDates(first, last);
  };
  return (
    <div class="row">
      <Select
        aria-label={t('Range')}
        value={isCustom ? CUSTOM : String(days)}
        choices={CHOICES}
        onChange={pick}
      />
      {isCustom && (
        <>
          <EnteredInput
            type="date"
            aria-label={t('First day')}
            value={from}
            max={to}
            onChange={(first) => pickDates(first, to)}
          />
          <EnteredInput
            type="date"
            aria-label={t('Last day')}
            value={to}
            min={from}
            onChange={(last) => pickDates(from, last)}
          />
        </>
      )}
    </div>
  );
}
