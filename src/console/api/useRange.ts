import { useLocation } from 'preact-iso';
import type { GetActivity } from '../../contract/analytics.ts';
import type { ResponseOf } from '../../contract/operation.ts';
import { addDays } from '../format.ts';
import { addressOf } from './client.ts';
import { useApi } from './useApi.ts';

export const RANGES = [
  { days: 7, label: '7 days', interval: 'day' },
  { days: 30, label: '30 days', interval: 'day' },
  { days: 90, label: '90 days', interval: 'week' },
  { days: 365, label: 'A year', interval: 'month' },
] as const;
export type Range = (typeof RANGES)[number];
const DEFAULT = RANGES[1];

/** The days that a screen shows: chosen in the address, so that it can be shared. */
export function useRange(): {
  range: Range;
  query: { from?: string; interval: string };
  choose(range: Range): void;
} {
  const { query, path, route } = useLocation();
  const range = RANGES.find(({ days }) => String(days) === query.days) ?? DEFAULT;
  const { data } = useApi<ResponseOf<typeof GetActivity>>(range === DEFAULT ? null : '/analytics/activity');
  const choose = ({ days }: Range): void => {
    route(addressOf(path, { ...query, days: days === DEFAULT.days ? null : days }), true);
  };
  const from = data === null ? undefined : addDays(data.to, 1 - range.days);
  return { range, query: { from, interval: range.interval }, choose };
}
