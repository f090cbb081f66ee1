import { useLocation } from 'preact-iso';
import type { GetActivity } from '../../contract/analytics.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import { addDays, daysBetween, formatDate } from '../format.ts';
import { addressOf } from './client.ts';
import { useApi } from './useApi.ts';

export const RANGES = [
  { days: 7, label: '7 days', interval: 'day' },
  { days: 30, label: '30 days', interval: 'day' },
  { days: 90, label: '90 days', interval: 'week' },
  { days: 365, label: 'A year', interval: 'month' },
] as const;
const DEFAULT = RANGES[1];
/** Longer ranges are shown by week, and still longer ones by month. */
const [BY_DAY_MAX, BY_WEEK_MAX] = [45, 200];

export interface Range {
  days: number;
  label: string;
  interval: 'day' | 'week' | 'month';
}

type RangeQuery = {
  from?: string;
  to?: string;
  interval: string;
};

const intervalOf = (days: number): Range['interval'] =>
  days <= BY_DAY_MAX ? 'day' : days <= BY_WEEK_MAX ? 'week' : 'month';

/** Dates in the address that are a range; null without them. */
function givenDates({ from, to }: Record<string, string | undefined>): { from: string; to: string } | null {
  return from && to && from <= to ? { from, to } : null;
}

/** The days that a screen shows: chosen in the address, so that it can be shared. */
export function useRange(): {
  range: Range;
  /** What analytics are read with; null while it is not known which days these are. */
  query: RangeQuery | null;
  /** The same number of days before; null while it is not known which these are. */
  before: RangeQuery | null;
  /** Whether the last period of the range is not over. */
  isLastOpen: boolean;
  choose(range: { days: number }): void;
  chooseDates(from: string, to: string): void;
} {
  const { query, path, route } = useLocation();
  const dates = givenDates(query);
  const { data, error } = useApi<ResponseOf<typeof GetActivity>>(dates ? null : '/analytics/activity');
  const known = RANGES.find(({ days }) => String(days) === query.days) ?? DEFAULT;
  const go = (chosen: Record<string, string | number | null>): void =>
    route(addressOf(path, { ...query, days: null, from: null, to: null, ...chosen }), true);
  const choose = ({ days }: { days: number }): void => go({ days: days === DEFAULT.days ? null : days });
  const chooseDates = (from: string, to: string): void => go({ from, to });
  const from = dates?.from ?? (data === null ? undefined : addDays(data.to, 1 - known.days));
  // The API has the same default: analytics need not be read again when the days are known.
  const isDefault = dates === null && known === DEFAULT;
  const isKnown = from !== undefined || isDefault || error !== null;
  const to = dates?.to;
  const days = dates ? daysBetween(dates.from, dates.to) + 1 : known.days;
  const interval = dates ? intervalOf(days) : known.interval;
  const label = dates ? `${formatDate(dates.from)} to ${formatDate(dates.to)}` : known.label;
  const before = from === undefined ? null : { from: addDays(from, -days), to: addDays(from, -1), interval };
  const range = { days, label, interval };
  const asked = isKnown ? { from: isDefault ? undefined : from, to, interval } : null;
  return { range, query: asked, before, isLastOpen: to === undefined, choose, chooseDates };
}
