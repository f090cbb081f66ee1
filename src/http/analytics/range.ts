import { ANALYTICS_DAYS_MAX } from '../../base/limits.ts';
import type { Interval } from '../../db/analytics/readAnalytics.ts';
import type { DaySpan } from '../../rules/activity.ts';
import { dateOfDay, dayOfDate, localTime, periodDays, periodOfDay } from '../../rules/calendar.ts';
import type { Frequency } from '../../rules/config.ts';
import type { Caller } from '../request/endpoint.ts';
import { invalid } from '../request/refuse.ts';

/** A range of days in the tenant's time zone, with its periods. */
export interface AnalyticsRange extends DaySpan {
  interval: Interval;
  timeZone: string;
  today: number;
  periods: { start: number; end: number }[];
}

const FREQUENCY: Record<Interval, Frequency> = { day: 'daily', week: 'weekly', month: 'monthly' };
const DEFAULT_DAYS = 30;

const periodHolding = (interval: Interval, day: number) =>
  periodDays(FREQUENCY[interval], periodOfDay(FREQUENCY[interval], day));

/** @throws ServiceError `invalid` if a range is reversed, or longer than analytics may read */
export function assertRange(isReversed: boolean, days: number): void {
  if (isReversed) throw invalid('from must not be after to');
  if (days >= ANALYTICS_DAYS_MAX)
    throw invalid(`from must be less than ${ANALYTICS_DAYS_MAX} days before to`);
}

/** @throws ServiceError `invalid` */
export function readRange(
  { service, rules }: Pick<Caller, 'service' | 'rules'>,
  query: { from?: string; to?: string; interval: Interval },
): AnalyticsRange {
  const { interval } = query;
  const timeZone = rules.config.settings.defaultTimeZone;
  const today = localTime(timeZone, service.clock.now()).day;
  const lastDay = query.to === undefined ? today : dayOfDate(query.to);
  const firstDay = query.from === undefined ? lastDay - DEFAULT_DAYS + 1 : dayOfDate(query.from);
  const from = periodHolding(interval, firstDay).start;
  const to = periodHolding(interval, lastDay).end;
  assertRange(firstDay > lastDay, to - from);
  const periods: AnalyticsRange['periods'] = [];
  for (let day = from; day <= to; day = periods.at(-1)!.end + 1) periods.push(periodHolding(interval, day));
  return { from, to, interval, timeZone, today, periods };
}

/** The fields of every answer that say what was asked for. */
export const rangeView = ({ timeZone, interval, from, to }: AnalyticsRange) => ({
  timeZone,
  interval,
  from: dateOfDay(from),
  to: dateOfDay(to),
});

export const periodView = ({ start, end }: { start: number; end: number }) => ({
  start: dateOfDay(start),
  end: dateOfDay(end),
});

export function periodStarting(range: AnalyticsRange, start: number): { start: string; end: string } {
  return periodView(periodHolding(range.interval, start));
}

export const rounded = (value: number, digits = 4): number => Number(value.toFixed(digits));

/** null if `whole` is 0. */
export const rateOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : rounded(part / whole);
