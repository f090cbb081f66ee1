import { addDays, daysBetween, formatDate } from '../text/format.ts';
import { rangeText, t } from '../text/translate.ts';
import { useAddress } from './useAddress.ts';
import { useApi } from './useApi.ts';

export const RANGES = [
  { days: 7, label: t('7 days'), interval: 'day' },
  { days: 30, label: t('30 days'), interval: 'day' },
  { days: 90, label: t('90 days'), interval: 'week' },
  { days: 365, label: t('1 year'), interval: 'month' },
] as const;
const DEFAULT = RANGES[1];
/** Longer ranges are shown by week, even longer ones by month. */
const [BY_DAY_MAX, BY_WEEK_MAX] = [45, 200];

type Interval = 'day' | 'week' | 'month';
type RangeQuery = { from?: string; to?: string; interval: Interval };

const intervalOf = (days: number): Interval =>
  days <= BY_DAY_MAX ? 'day' : days <= BY_WEEK_MAX ? 'week' : 'month';

/** The days that a screen shows. They are in the address, so that they can be shared. */
export function useRange(): {
  days: number;
  /** The range in words. */
  label: string;
  /** Parameters for analytics; null while it is unknown which days these are. */
  query: RangeQuery | null;
  /** The same number of days before; null while unknown. */
  before: RangeQuery | null;
  /** Whether the last period of the range is not over. */
  isLastOpen: boolean;
  choose(days: number): void;
  chooseDates(from: string, to: string): void;
} {
  const { query, change } = useAddress();
  const dates = query.from && query.to && query.from <= query.to ? { from: query.from, to: query.to } : null;
  const { data, error } = useApi(dates ? null : '/analytics/activity');
  const known = RANGES.find(({ days }) => String(days) === query.days) ?? DEFAULT;
  const from = dates?.from ?? (data === null ? undefined : addDays(data.to, 1 - known.days));
  // The API has the same default: analytics need not be read again when the days are known.
  const isDefault = dates === null && known === DEFAULT;
  const isKnown = from !== undefined || isDefault || error !== null;
  const to = dates?.to;
  const days = dates ? daysBetween(dates.from, dates.to) + 1 : known.days;
  const interval = dates ? intervalOf(days) : known.interval;
  return {
    days,
    label: dates ? rangeText(formatDate(dates.from), formatDate(dates.to)) : known.label,
    query: isKnown ? { from: isDefault ? undefined : from, to, interval } : null,
    before: from === undefined ? null : { from: addDays(from, -days), to: addDays(from, -1), interval },
    isLastOpen: to === undefined,
    choose: (chosen) => change({ days: chosen === DEFAULT.days ? null : chosen, from: null, to: null }),
    chooseDates: (first, last) => change({ days: null, from: first, to: last }),
  };
}
